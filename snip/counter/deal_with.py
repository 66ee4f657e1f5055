"""Dealing with what a counter was given: clicks go to the counts, anything else to the dead letters.

Guarantee: an entry that is no click, or one that the database refuses, stops none of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog
from django.db import DataError, IntegrityError

from jobs.dead.letters import keep_dead_letter
from snip.counter import metrics
from snip.counter.apply import Applier, Brought
from snip.event import MalformedClick, unpack
from snip.log.group import Entry

log = structlog.get_logger(__name__)

MALFORMED = "malformed click"
REFUSED = "click that cannot be stored"


def deal_with(entries: Sequence[Entry], *, applier: Applier, using: str = "default") -> None:
    """Count the clicks among ``entries`` and keep the others as dead letters. To do it again adds nothing.

    When it returns, all of it is on the disk. Raises Django's database errors when it has to be done again.
    """
    clicks: list[Brought] = []
    for entry in entries:
        try:
            click = unpack(entry.packed)
        except MalformedClick:
            _keep(entry, reason=MALFORMED, using=using)
        else:
            clicks.append(Brought(click.id.bytes, click.code, click.is_bot, entry))
    _apply(clicks, applier=applier, using=using)


def _apply(clicks: Sequence[Brought], *, applier: Applier, using: str) -> None:
    """All at once, or by halves if the database refuses one of them: a handful of transactions for each of those."""
    try:
        applied = applier.apply(clicks)
    except (DataError, IntegrityError) as refusal:
        if applier.misses_partition(refusal):
            raise
        if len(clicks) > 1:
            half = len(clicks) // 2
            for part in (clicks[:half], clicks[half:]):
                _apply(part, applier=applier, using=using)
        elif clicks[0].entry is not None:
            log.warning("click_refused", error=str(refusal)[:200])
            _keep(clicks[0].entry, reason=REFUSED, using=using)
        return
    metrics.COUNTED.inc(applied.counted)
    metrics.REPEATED.inc(applied.repeated + len(clicks) - applied.brought)
    for why, number in applied.uncounted.items():
        metrics.UNCOUNTED.labels(why=why).inc(number)


def _keep(entry: Entry, *, reason: str, using: str) -> None:
    # The same bytes once more are counted on the letter of the first: a writer that is wrong is so a million times.
    headers = {"x-entry": entry.id.decode("ascii", "replace")}
    keep_dead_letter(queue=entry.stream, reason=reason, headers=headers, body=entry.packed, using=using)
    metrics.MALFORMED.inc()
