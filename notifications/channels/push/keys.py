"""Our own key, by which push services know us (VAPID, RFC 8292): its public half is part of each subscription."""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid02


def push_is_set_up() -> bool:
    """Whether this installation has a key. Without one nobody is offered push messages."""
    return bool(settings.VAPID_PRIVATE_KEY)


def application_server_key() -> str:
    """The public half as ``PushManager.subscribe`` takes it: a point of P-256, in base64 for URLs without padding."""
    point = signer().public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(point).rstrip(b"=").decode("ascii")


def signer() -> Vapid02:
    """What signs our requests."""
    return _signer(settings.VAPID_PRIVATE_KEY)


@lru_cache(maxsize=2)
def _signer(private_key: str) -> Vapid02:
    return Vapid02.from_raw(private_key.encode("ascii"))
