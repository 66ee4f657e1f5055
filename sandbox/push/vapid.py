"""Who sends a message: the signed token in its Authorization (RFC 8292)."""

from __future__ import annotations

import json
import re
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from sandbox.push.base64url import decoded

LONGEST_SECONDS = 24 * 3600
_HEADER = re.compile(r"vapid\s+(?P<parameters>[^\s].*)", re.IGNORECASE)
_CONTACT = re.compile(r"mailto:[^@\s]+@[^@\s]+|https://\S+")


class NotSigned(ValueError):
    """This is not signed as it should be; the words say why, and ``status`` how a push service answers."""

    def __init__(self, words: str, *, status: int = 401) -> None:
        super().__init__(words)
        self.status = status


def check(authorization: str, *, audience: str, now: float, expected_key: str) -> dict[str, Any]:
    """What the token claims. Raises NotSigned.

    audience: scheme, host and port of this service. now: seconds since 1970. expected_key: the one that the browser
    subscribed with, which no other may send to; empty for a subscription of everybody.
    """
    parameters = _parameters(authorization)
    key = parameters["k"]
    claims = _claims(parameters["t"], key)
    if claims.get("aud") != audience:
        raise NotSigned(f"aud is {claims.get('aud')!r} and not {audience!r}")
    expires = claims.get("exp")
    if isinstance(expires, bool) or not isinstance(expires, (int, float)):
        raise NotSigned("exp is no number")
    if not now < expires <= now + LONGEST_SECONDS:
        raise NotSigned("exp is over, or more than 24 hours ahead")
    if not isinstance(claims.get("sub"), str) or not _CONTACT.fullmatch(claims["sub"]):
        raise NotSigned("sub is no mailto: and no https: address")
    if expected_key and key != expected_key:
        raise NotSigned("the browser subscribed with another key", status=403)
    return claims


def _parameters(authorization: str) -> dict[str, str]:
    found = _HEADER.fullmatch(authorization.strip())
    if not found:
        raise NotSigned("there is no Authorization of the scheme vapid")
    pairs = [part.strip().partition("=") for part in found["parameters"].split(",")]
    parameters = {name.strip(): value.strip().strip('"') for name, _equals, value in pairs}
    if not {"t", "k"} <= parameters.keys():
        raise NotSigned("t or k is missing")
    return parameters


def _claims(token: str, key: str) -> dict[str, Any]:
    try:
        signed, _dot, signature = token.rpartition(".")
        header, claims = (json.loads(decoded(part)) for part in signed.split("."))
        numbers = decoded(signature)
        public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(key))
    except ValueError as error:
        raise NotSigned(f"t or k cannot be read: {error}") from error
    if not isinstance(header, dict) or not isinstance(claims, dict) or header.get("alg") != "ES256":
        raise NotSigned("t is no token signed with ES256")
    if len(numbers) != 64:
        raise NotSigned("the signature has not 64 bytes")
    r, s = int.from_bytes(numbers[:32], "big"), int.from_bytes(numbers[32:], "big")
    try:
        public.verify(encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
    except InvalidSignature as error:
        raise NotSigned("the signature is not by k") from error
    return claims
