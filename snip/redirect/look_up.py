"""Where a code leads: from memory if that is fresh enough, else from PostgreSQL, and from memory again if that is away.

0 to 10 s old    from memory (an unknown code: 2 s)
up to 20 s       from memory, and PostgreSQL is asked in the background: a busy code never waits
older            PostgreSQL is asked, and the visitor waits for it
it is away       from memory, up to a day old; a code that was unknown is not called so any longer
"""

from __future__ import annotations

import time

from snip.redirect.cache import Cache
from snip.redirect.find_targets import Away, Finder
from snip.redirect.target import Leads, Target

FRESH_SECONDS = 10.0
"""How long a link that was blocked a moment ago may still lead on, and twice that where somebody uses it."""
UNKNOWN_FRESH_SECONDS = 2.0
"""How long a link that was made a moment ago may still be unknown to who asked too early."""
GRACE_SECONDS = 10.0
STALE_SECONDS = 86_400.0


def fresh_link(code: str, *, cache: Cache) -> Target | None:
    """Return the link that ``code`` leads to by what is in memory; None where ``look_up`` has to tell.

    It is what nearly all visitors want, so it costs no coroutine.
    """
    target = cache.known(code)
    if target is None or target.answer is None:
        return None
    now = time.monotonic()
    return target if now - target.asked_at < FRESH_SECONDS and now < target.ends_at else None


async def look_up(code: str, *, cache: Cache, finder: Finder) -> Target | None:
    """Return where ``code`` leads; None where nobody can tell at present."""
    target = cache.get(code)
    if target is None:
        return await _asked(code, finder=finder)
    age = time.monotonic() - target.asked_at
    fresh, grace = FRESH_SECONDS, GRACE_SECONDS
    if target.leads is Leads.UNKNOWN:
        fresh, grace = UNKNOWN_FRESH_SECONDS, 0.0
    if age < fresh:
        return target
    if age < fresh + grace:
        finder.want(code)
        return target
    asked = await _asked(code, finder=finder)
    if asked is None and target.leads is not Leads.UNKNOWN and age < STALE_SECONDS:
        return target
    return asked


async def _asked(code: str, *, finder: Finder) -> Target | None:
    try:
        return await finder.find(code)
    except Away:
        return None
