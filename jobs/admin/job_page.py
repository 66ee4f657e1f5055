"""One job's page: what it is, why it failed, what staff did to it, and the buttons for what they may do now."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from jobs.admin.read_only import ReadOnlyAdmin, in_utc
from jobs.dead.causes import cause_in_words
from jobs.dead.selection import QUARANTINE_GENERATION
from jobs.models import Job
from jobs.selectors import staff_actions_on


class JobPage(ReadOnlyAdmin):
    """The page of a job, whichever list led to it."""

    change_form_template = "admin/jobs/job_page.html"
    show_full_result_count = False
    readonly_fields = ("stands", "cause", "given", "trace", "times")
    fieldsets = (
        (None, {"fields": ("task", "stands", "cause", "subject", "given", "times")}),
        (_("Traceback"), {"fields": ("trace",)}),
        (
            _("Machinery"),
            {
                "classes": ("collapse",),
                "fields": (
                    "queue",
                    "priority",
                    "correlation_id",
                    "attempts",
                    "deliveries",
                    "generation",
                    "publish_number",
                    "token",
                    "worker",
                ),
            },
        ),
    )

    class Media:
        css = {"all": ("jobs/css/ledger.css",)}

    @admin.display(description=_("state"))
    def stands(self, job: Job) -> SafeString:
        words = format_html('<span class="chip {}">{}</span>', job.state, job.get_state_display())
        return format_html("{} {}", words, job.reason) if job.reason else words

    @admin.display(description=_("cause"), empty_value="–")
    def cause(self, job: Job) -> SafeString | None:
        """Why its last attempt failed; a job that is done forgets it."""
        if not job.error and job.state != Job.State.DEAD:
            return None
        return format_html(
            '{}<br><span class="quiet">{}</span>', cause_in_words(reason=job.reason, error=job.error), job.error
        )

    @admin.display(description=_("arguments"))
    def given(self, job: Job) -> SafeString:
        return format_html('<pre class="code">{}</pre>', json.dumps(job.args, indent=2, ensure_ascii=False))

    @admin.display(description=_("traceback"), empty_value="–")
    def trace(self, job: Job) -> SafeString | None:
        return format_html('<pre class="code">{}</pre>', job.traceback) if job.traceback else None

    @admin.display(description=_("when (UTC)"))
    def times(self, job: Job) -> SafeString:
        ended = {Job.State.DEAD: _("died"), Job.State.CANCELLED: _("cancelled")}.get(Job.State(job.state), _("ended"))
        moments = [
            (_("created"), job.created_at),
            (_("due"), job.available_at),
            (_("handed to the broker"), job.published_at),
            (_("started"), job.started_at),
            (ended, job.finished_at),
        ]
        known = ((in_utc(moment), name) for name, moment in moments if moment is not None)
        return format_html_join("", "{} {}<br>", known)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's page, with the trail and the buttons."""
        job = self.get_object(request, object_id)
        context = {
            "trail": list(staff_actions_on(job_id=job.pk)) if job is not None else [],
            "buttons": _buttons(request, job) if job is not None else [],
            "is_quarantined": job is not None
            and job.state == Job.State.DEAD
            and job.generation >= QUARANTINE_GENERATION,
            **(extra_context or {}),
        }
        return super().change_view(request, object_id, form_url, context)


def _buttons(request: HttpRequest, job: Job) -> list[tuple[str, Any]]:
    """What this user may do to the job now: addresses and words."""
    if job.state != Job.State.DEAD:
        return []
    seen = urlencode({"jobs": f"{job.pk}:{job.generation}"})
    offered = [("replay", _("Replay…")), ("discard", _("Discard…"))]
    return [
        (f"{reverse(f'admin:jobs_deadjob_{verb}')}?{seen}", words)
        for verb, words in offered
        if request.user.has_perm(f"jobs.{verb}_job")
    ]
