"""How far a run over dead jobs has come. The page keeps itself fresh while it is under way."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.forms import Media
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext

from jobs.admin.chosen_jobs import DISCARD, REPLAY
from jobs.admin.subjects import link_subjects
from jobs.clock import database_now
from jobs.dead.run import SPREAD_SECONDS
from jobs.models import DeadRun
from jobs.redact import for_eyes
from jobs.spans import span_in_words

REFRESH_SECONDS = 2

SILENT_SECONDS = 60.0
"""Without a step for so long, nobody is working on it: a step takes a fraction of a second."""

_MARKS = {
    DeadRun.State.RUNNING: "running",
    DeadRun.State.DONE: "good",
    DeadRun.State.STOPPED: "warn",
    DeadRun.State.BROKEN: "bad",
}


@dataclass(frozen=True)
class Progress:
    """A run as its page shows it."""

    run: DeadRun
    now: datetime

    @property
    def mark(self) -> str:
        return _MARKS[DeadRun.State(self.run.state)]

    @property
    def is_under_way(self) -> bool:
        return self.run.state == DeadRun.State.RUNNING

    @property
    def left(self) -> int:
        return max(self.run.total - self.run.looked_at, 0)

    @property
    def percent(self) -> int:
        return 100 if not self.run.total else min(100 * self.run.looked_at // self.run.total, 100)

    @property
    def ends_in(self) -> str:
        """How long what is left takes at the pace so far, or at its rate; empty where nobody knows."""
        spent = (self.now - self.run.started_at).total_seconds()
        pace = self.run.rate or (self.run.looked_at / spent if spent > 0 else 0)
        return span_in_words(self.left / pace) if pace and self.left and self.is_under_way else ""

    @property
    def is_silent(self) -> bool:
        return self.is_under_way and self._silent_seconds > SILENT_SECONDS + SPREAD_SECONDS

    @property
    def silent_for(self) -> str:
        return span_in_words(self._silent_seconds)

    @property
    def _silent_seconds(self) -> float:
        """Since the last step; a slow rate lets one job a step wait for long, and is no silence."""
        pause = 1 / self.run.rate if self.run.rate else 0.0
        return max((self.now - self.run.moved_at).total_seconds() - pause, 0.0)

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """The options of the filter, as the command names them."""
        return [(name, for_eyes(str(value))) for name, value in self.run.chosen.items() if value is not True]


def progress_page(page: admin.ModelAdmin, request: HttpRequest, deadrun_id: int) -> HttpResponse:
    """One run."""
    if not page.has_view_permission(request):
        raise PermissionDenied
    run = DeadRun.objects.filter(pk=deadrun_id).first()
    if run is None:
        raise Http404
    permission = (REPLAY if run.action == DeadRun.Action.REPLAY else DISCARD).permission
    context: dict[str, Any] = {
        **page.admin_site.each_context(request),
        "title": _title(run),
        "opts": page.opts,
        "media": page.media + Media(js=["jobs/js/work.js"]),
        "progress": Progress(run, database_now()),
        "run": run,
        "refresh_seconds": REFRESH_SECONDS,
        "may_stop": request.user.has_perm(permission),
        "may_see_work": request.user.has_perm("jobs.view_queueload"),
    }
    return TemplateResponse(request, "admin/jobs/dead_run.html", context)


def _title(run: DeadRun) -> str:
    words = gettext("Replay no. %(id)s") if run.action == DeadRun.Action.REPLAY else gettext("Discarding no. %(id)s")
    return words % {"id": run.pk}


def _page_of(request: HttpRequest, name: str) -> str | None:
    """Where staff find the run that a job carries."""
    if not name.isdecimal() or not request.user.has_perm("jobs.view_deadjob"):
        return None
    return reverse("admin:jobs_deadjob_run", args=[int(name)])


link_subjects(kind="dead-run", address=_page_of)
