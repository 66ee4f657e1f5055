"""The text in a ticket's QR code: short, signed, and verifiable without the database.

``B1`` and 120 characters of base 32, all upper-case, so that a QR code holds them in its alphanumeric mode: 122
characters fill version 5 at error level M exactly. The 120 characters are 75 bytes:

    key id 2 · ticket code 5 · show id 4 · Ed25519 signature 64

A door device needs the public keys only, so a lost one cannot make tickets. See
``docs/decisions/2026-11-29-ticket-qr-payload.md``.
"""

from __future__ import annotations

import base64
import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from tickets import codes
from tickets.errors import ForgedTicket

VERSION = "B1"
LENGTH = 122  # characters
CONTEXT = b"boxoffice ticket 1\x00"  # what is signed, so that a signature serves nothing else
KEY_ID_SIZE = 2
SIGNATURE_SIZE = 64
LARGEST_SHOW_ID = 2**32 - 1


@dataclass(frozen=True)
class SignedTicket:
    """What a genuine QR code says. Whether the ticket still admits, the database or the door's list knows."""

    code: str
    show_id: int


def sign_ticket(*, code: str, show_id: int) -> str:
    """The payload for a ticket, signed with the first of TICKET_SIGNING_KEYS. The same each time."""
    if not 0 < show_id <= LARGEST_SHOW_ID:
        raise ValueError(f"A show id between 1 and {LARGEST_SHOW_ID} is needed, not {show_id}.")
    keys = _keyring(tuple(settings.TICKET_SIGNING_KEYS))
    body = keys.signing_id + codes.to_bytes(code) + struct.pack(">I", show_id)
    return VERSION + base64.b32encode(body + keys.signing.sign(CONTEXT + body)).decode("ascii")


def read_ticket(*, payload: str) -> SignedTicket:
    """What the payload says, if one of TICKET_SIGNING_KEYS signed it. Reads no database.

    Raises ForgedTicket for everything else: another text, a changed character, a key that is no longer trusted.
    """
    text = payload.strip()
    if len(text) != LENGTH or not text.startswith(VERSION):
        raise ForgedTicket
    try:
        data = base64.b32decode(text[len(VERSION) :])
    except ValueError as error:  # binascii.Error is one, for what is no base 32
        raise ForgedTicket from error
    body, signature = data[:-SIGNATURE_SIZE], data[-SIGNATURE_SIZE:]
    key_id, code, show_id = body[:KEY_ID_SIZE], body[KEY_ID_SIZE:-4], body[-4:]
    for public in _keyring(tuple(settings.TICKET_SIGNING_KEYS)).trusted.get(key_id, ()):
        try:
            public.verify(signature, CONTEXT + body)
        except InvalidSignature:
            continue
        return SignedTicket(code=codes.from_bytes(code), show_id=struct.unpack(">I", show_id)[0])
    raise ForgedTicket


@dataclass(frozen=True)
class Keyring:
    """The key that signs and the public keys that verify, by the two bytes that name them in a payload."""

    signing: Ed25519PrivateKey
    signing_id: bytes
    trusted: Mapping[bytes, Sequence[Ed25519PublicKey]]


@lru_cache(maxsize=4)
def _keyring(encoded: tuple[str, ...]) -> Keyring:
    if not encoded:
        raise ImproperlyConfigured(
            "Set TICKET_SIGNING_KEYS to one key or more, such as `openssl rand -base64 32` makes."
        )
    private = [_decode(key, place=place) for place, key in enumerate(encoded, start=1)]
    trusted: dict[bytes, list[Ed25519PublicKey]] = {}
    for key in private:
        trusted.setdefault(key_id_of(key.public_key()), []).append(key.public_key())
    return Keyring(signing=private[0], signing_id=key_id_of(private[0].public_key()), trusted=trusted)


def key_id_of(public: Ed25519PublicKey) -> bytes:
    """The two bytes that name a key: enough to pick it, no claim that it is the only one."""
    return hashlib.sha256(public.public_bytes_raw()).digest()[:KEY_ID_SIZE]


def _decode(key: str, *, place: int) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(base64.b64decode(key.strip(), validate=True))
    except ValueError as error:  # binascii.Error is one
        raise ImproperlyConfigured(
            f"Key {place} of TICKET_SIGNING_KEYS is not 32 bytes in base64. `openssl rand -base64 32` makes one."
        ) from error
