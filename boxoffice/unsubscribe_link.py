"""The address in a bulk mail that ends mails of its kind: whose mails, and which, sealed so that it reads to nobody.

It does not expire, and needs no row of ours: a mail may be read years later, when its address has long been erased
here. Whoever has it, because the mail was passed on, may end these mails, or take that back, and nothing else.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.conf import settings
from django.urls import reverse
from django.utils.crypto import salted_hmac

from boxoffice.messages import CAN_BE_ENDED

SALT = "boxoffice.unsubscribe"


@dataclass(frozen=True)
class Reader:
    """Who reads mails of one kind."""

    kind: str
    address: str


def unsubscribe_address(*, kind: str, address: str) -> str:
    """The absolute address that stands in mails of this kind to this reader."""
    return f"{settings.PUBLIC_URL}{reverse('unsubscribe', args=[unsubscribe_token(kind=kind, address=address)])}"


def unsubscribe_token(*, kind: str, address: str) -> str:
    """Kind and address, sealed: nobody else can read or make it. The same each time, since an ESP takes a mail that is
    sent once more for the same one only if no byte of it differs.
    """
    sealed = _cipher(settings.SECRET_KEY).encrypt(f"{kind} {address}".encode(), None)
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def reader_of_token(*, token: str) -> Reader | None:
    """Whose mails this token ends; None for one that is not ours. Nothing is asked of the database."""
    try:
        sealed = base64.urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
    except (UnicodeEncodeError, binascii.Error):
        return None
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        try:
            kind, _space, address = _cipher(secret).decrypt(sealed, None).decode().partition(" ")
        except InvalidTag:
            continue
        return Reader(kind, address) if kind in CAN_BE_ENDED and address else None
    return None


def _cipher(secret: str) -> AESSIV:
    return AESSIV(salted_hmac(SALT, "key", secret=secret, algorithm="sha512").digest())
