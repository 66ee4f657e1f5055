"""What a page is to do, and the dead jobs that it is about, as they are now.

A page names each job with the generation that was seen. A job that was replayed since is not the one that was meant.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from jobs.dead.fit import names_of, why_not
from jobs.dead.selection import QUARANTINE_GENERATION, DeadRow, Filter, pages
from jobs.redact import for_eyes

MAX_AT_ONCE = 500
"""Jobs that one press may deal with: about a second of one request. More are for the command line."""


@dataclass(frozen=True)
class Verb:
    """What can be done to dead jobs."""

    name: str
    permission: str
    command: str
    button: str | Promise
    what_happens: str | Promise


REPLAY = Verb(
    name="replay",
    permission="jobs.replay_job",
    command="replay_dlq",
    button=_("Replay"),
    what_happens=_(
        "They start over with the same arguments and the same keys towards providers. Do this when the cause is "
        "mended; otherwise they die again."
    ),
)
DISCARD = Verb(
    name="discard",
    permission="jobs.discard_job",
    command="discard_dlq",
    button=_("Discard"),
    what_happens=_(
        "They are cancelled and never run again. What failed with them stays failed: a ticket is not made, a mail is "
        "not sent."
    ),
)


@dataclass
class Chosen:
    """The jobs that a page is about, as they are now."""

    rows: list[DeadRow] = field(default_factory=list)
    quarantined: list[DeadRow] = field(default_factory=list)
    unfit: list[tuple[DeadRow, str]] = field(default_factory=list)
    gone: int = 0

    @property
    def groups(self) -> list[tuple[str, str, int]]:
        """Task, cause, and how many, the largest group first."""
        counted = Counter((row.task, for_eyes(row.cause)) for row in self._all)
        return [(task, cause, count) for (task, cause), count in counted.most_common()]

    @property
    def possible(self) -> int:
        return len(self._all)

    @property
    def _all(self) -> list[DeadRow]:
        return [*self.rows, *self.quarantined]


def look(verb: Verb, seen: dict[int, int]) -> Chosen:
    """Read the jobs, and part those that cannot be replayed, or only on a second thought."""
    chosen = Chosen()
    found = Filter(job_ids=tuple(seen), include_quarantined=True)
    for row in (row for rows in pages(found, size=MAX_AT_ONCE) for row in rows):
        if row.generation != seen[row.job_id]:
            continue
        why = why_not(task=row.task, queue=row.queue, names=names_of(row.args)) if verb is REPLAY else ""
        if why:
            chosen.unfit.append((row, why))
        elif verb is REPLAY and row.generation >= QUARANTINE_GENERATION:
            chosen.quarantined.append(row)
        else:
            chosen.rows.append(row)
    chosen.gone = len(seen) - chosen.possible - len(chosen.unfit)
    return chosen


def read_seen(text: str) -> dict[int, int]:
    """``12:0,13:1``: the number and generation of each job. What is not like that is left out."""
    pairs: dict[int, int] = {}
    for part in text.split(",")[:MAX_AT_ONCE]:
        number, _colon, generation = part.partition(":")
        if number.isdecimal() and generation.isdecimal() and len(number) < 19 and len(generation) < 9:
            pairs[int(number)] = int(generation)
    return pairs
