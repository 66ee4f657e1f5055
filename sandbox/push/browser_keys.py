"""The keys of one browser's subscription, and reading what was encrypted for them (RFC 8188, RFC 8291)."""

from __future__ import annotations

import secrets
import struct
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HEADER_BYTES = 21  # salt 16, record size 4, length of the key id 1
POINT_BYTES = 65
TAG_BYTES = 16
LAST_RECORD = 2


class Unreadable(ValueError):
    """A browser could not read this message; the words say why."""


@dataclass(frozen=True)
class BrowserKeys:
    """A key pair of P-256 and a secret of 16 bytes, drawn anew for each subscription."""

    private: ec.EllipticCurvePrivateKey
    auth: bytes

    @classmethod
    def new(cls) -> BrowserKeys:
        return cls(private=ec.generate_private_key(ec.SECP256R1()), auth=secrets.token_bytes(16))

    @property
    def point(self) -> bytes:
        """The public half, uncompressed: ``p256dh``."""
        return self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def read(self, body: bytes) -> bytes:
        """The message in a body of the encoding ``aes128gcm``. Raises Unreadable."""
        salt, record_size, sender, sealed = _parts(body)
        key, nonce = self._key_and_nonce(sender, salt)
        if len(sealed) > record_size:
            raise Unreadable("it has more than one record, and a push message has one (RFC 8291, section 4)")
        try:
            padded = AESGCM(key).decrypt(nonce, sealed, None)
        except InvalidTag as error:
            raise Unreadable("it was encrypted with other keys, or changed on its way") from error
        content, delimiter = padded.rstrip(b"\0")[:-1], padded.rstrip(b"\0")[-1:]
        if delimiter != bytes([LAST_RECORD]):
            raise Unreadable("its one record does not end as the last one does (RFC 8188, section 2)")
        return content

    def _key_and_nonce(self, sender: bytes, salt: bytes) -> tuple[bytes, bytes]:
        try:
            their_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        except ValueError as error:
            raise Unreadable("its key id is no point of P-256") from error
        shared = self.private.exchange(ec.ECDH(), their_key)
        info = b"WebPush: info\0" + self.point + sender
        secret = HKDF(SHA256(), length=32, salt=self.auth, info=info).derive(shared)
        key = HKDF(SHA256(), length=16, salt=salt, info=b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), length=12, salt=salt, info=b"Content-Encoding: nonce\0").derive(secret)
        return key, nonce


def _parts(body: bytes) -> tuple[bytes, int, bytes, bytes]:
    """Salt, record size, the sender's point and the rest."""
    if len(body) < HEADER_BYTES + POINT_BYTES + TAG_BYTES + 1:
        raise Unreadable("it is too short")
    salt = body[:16]
    record_size, key_length = struct.unpack("!LB", body[16:HEADER_BYTES])
    if key_length != POINT_BYTES:
        raise Unreadable("its key id is not the sender's key (RFC 8291, section 4)")
    if record_size < TAG_BYTES + 2:
        raise Unreadable("its record size is too small")
    return salt, record_size, body[HEADER_BYTES : HEADER_BYTES + POINT_BYTES], body[HEADER_BYTES + POINT_BYTES :]
