"""Who listens."""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest

from notifications.models import PushSubscription


def listens(*, subject: str, endpoint_digest: str) -> bool:
    """Whether the browser whose endpoint has this SHA-256, in hexadecimal, is told about ``subject``. One query.

    A browser that asks need not send its endpoint, which is a secret, in an address. By push_subscription_once.
    """
    endpoints = PushSubscription.objects.filter(subject=subject).values_list("endpoint", flat=True)
    return any(compare_digest(sha256(endpoint.encode()).hexdigest(), endpoint_digest) for endpoint in endpoints)
