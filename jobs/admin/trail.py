"""What staff did to a job, as its page tells it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest
from django.utils.safestring import SafeString

from jobs.admin.moments import exactly
from jobs.admin.subjects import words_about
from jobs.dead.causes import reason_in_words
from jobs.models import StaffAction
from jobs.redact import for_eyes
from jobs.selectors import staff_actions_on


@dataclass(frozen=True)
class TrailEntry:
    """One change: what was done, by whom, when, why, and what the job's row said before."""

    did: str
    by: str
    when: SafeString
    reason: str
    before: str


def trail_of(request: HttpRequest, *, job_id: int, subject: str, now: datetime) -> list[TrailEntry]:
    """All of it, oldest first, as the user may see it. One query, and one for each reason that is masked.

    subject: what the job is about. now: the database's.
    """

    def shown(text: str) -> str:
        return words_about(request, text, subject=subject)

    return [
        TrailEntry(
            did=str(StaffAction.Action(entry.action).label),
            by=entry.by,
            when=exactly(entry.at, now),
            reason=shown(entry.reason),
            before=" · ".join(filter(None, [reason_in_words(shown(entry.job_reason)), for_eyes(entry.job_error)])),
        )
        for entry in staff_actions_on(job_id=job_id)
    ]
