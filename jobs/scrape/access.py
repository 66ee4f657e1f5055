"""Who may read the metrics: they tell how much is sold, and when nobody watches."""

from __future__ import annotations

import hmac

from django.conf import settings


def bears_the_token(authorization: str) -> bool:
    """Whether an ``Authorization`` header carries METRICS_TOKEN; False while none is set. In constant time."""
    scheme, _, given = authorization.partition(" ")
    token = settings.LEDGER_METRICS_TOKEN
    return bool(token) and scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
