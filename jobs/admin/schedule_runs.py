"""One run of a schedule as its pages tell it: the outcome as a chip, and how late it started."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.admin.moments import exactly, relatively
from jobs.dead.causes import reason_in_words
from jobs.models import Job
from jobs.schedules.selectors import Run
from jobs.spans import span_in_words


@dataclass(frozen=True)
class RunRow:
    """One line of the table of runs."""

    due: SafeString
    started: SafeString | str
    late: SafeString | str
    outcome: SafeString
    why: str


def rows_of(runs: list[Run], *, now: datetime, with_links: bool) -> list[RunRow]:
    """The table of runs. with_links: to their jobs. now: the database's."""
    return [
        RunRow(
            due=exactly(run.due_at, now),
            started=relatively(run.started_at, now) if run.started_at else "–",
            late=late_in_words(run, now) or (_("in time") if run.late_seconds(now) is not None else "–"),
            outcome=outcome(run, with_link=with_links),
            why=_why(run),
        )
        for run in runs
    ]


def address_of_job(job_id: int) -> str:
    """Its page, which leads on to what is kept of a job that was removed."""
    return reverse("admin:jobs_job_change", args=[job_id])


def outcome(run: Run, *, with_link: bool) -> SafeString:
    """The state of its job as a chip, with a link to the job while anything is known of it."""
    if run.state is None:
        return format_html('<span class="chip plain">{}</span>', _("removed") if run.job_id else _("no job"))
    retries = run.state == Job.State.WAITING and run.attempts
    words = _("will be tried again") if retries else Job.State(run.state).label
    chip = format_html('<span class="chip {}">{}</span>', run.state, words)
    return format_html('<a href="{}">{}</a>', address_of_job(run.job_id), chip) if with_link and run.job_id else chip


def late_in_words(run: Run, now: datetime) -> SafeString | str:
    """How late it started, or that it has not; empty for a run in time."""
    seconds = run.late_seconds(now)
    if seconds is None or not run.is_late(now):
        return ""
    waits = run.started_at is None or run.state in (Job.State.WAITING, Job.State.PUBLISHED)
    words = _("not started for %(span)s") if waits else _("started %(span)s late")
    return format_html(
        '<span class="late"><span aria-hidden="true">!</span> {}</span>', words % {"span": span_in_words(seconds)}
    )


def _why(run: Run) -> str:
    failed = ngettext("%(n)d failed", "%(n)d failed", run.attempts) % {"n": run.attempts} if run.attempts else ""
    reason = reason_in_words(run.reason) if run.reason and run.state != Job.State.WAITING else ""
    return ", ".join(filter(None, [reason, failed]))
