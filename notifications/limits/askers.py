"""How often the same network may have something stored or mailed, as all web processes count it together in Redis.

Guarantee: nobody is refused because Redis is away, and nobody waits for it longer than a fraction of a second, once in
a while (I13): each process then counts by itself, so that a network may ask as often as that at each of them. Redis
knows no address: only a keyed fingerprint of it, for as long as the window lasts.
"""

from __future__ import annotations

from functools import cache

import structlog
from django.conf import settings
from django.utils.crypto import salted_hmac
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import FixedWindowRateLimiter
from redis.exceptions import RedisError

from notifications.limits.circuit import Circuit
from notifications.limits.shared import quick_connections

log = structlog.get_logger(__name__)

MOST, WINDOW_MINUTES = 50, 10
"""A family, an office or a school asks a few times, and a carrier behind whose one address thousands are hardly more
often than this; a script asks as often in a second."""

LIMIT = RateLimitItemPerMinute(MOST, WINDOW_MINUTES, namespace="notifications:askers")

circuit = Circuit()


def may_ask(*, what: str, network: str) -> bool:
    """Count one more time that this network asks for ``what``; False where that was too often.

    network: as text; the window begins with its first question. One round trip to Redis.
    """
    fingerprint = salted_hmac("notifications.limits.askers", network, algorithm="sha256").hexdigest()[:32]
    if circuit.is_closed():
        try:
            allowed = _shared(settings.REDIS_URL).hit(LIMIT, what, fingerprint)
        except RedisError as error:
            if circuit.note_failure():
                log.warning("askers_counted_alone", error=f"{type(error).__name__}: {error}"[:200])
        else:
            if circuit.note_success():
                log.info("askers_counted_together_again")
            return allowed
    return _alone().hit(LIMIT, what, fingerprint)


@cache
def _shared(url: str) -> FixedWindowRateLimiter:
    return FixedWindowRateLimiter(RedisStorage(url, connection_pool=quick_connections(url)))


@cache
def _alone() -> FixedWindowRateLimiter:
    """This process's own counts, which forget themselves."""
    return FixedWindowRateLimiter(MemoryStorage())
