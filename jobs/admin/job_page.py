"""One job's page: why it waits or failed, what it is, what staff did to it, and buttons for what they may do now."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from jobs.admin.confirm_jobs import FROM_ITS_PAGE
from jobs.admin.job_verbs import VERBS, may
from jobs.admin.moments import exactly, listed
from jobs.admin.staff_words import StaffWordsAdmin
from jobs.admin.subjects import address_of, words_about
from jobs.admin.trail import trail_of
from jobs.clock import database_now
from jobs.dead.causes import cause_in_words, reason_in_words
from jobs.dead.selection import QUARANTINE_GENERATION
from jobs.models import Job
from jobs.redact import for_eyes, for_staff
from jobs.why_it_waits import Obstacle, why_it_waits


@dataclass(frozen=True)
class Surroundings:
    """What the page tells of a job that its row does not: read once, when the page is made."""

    now: datetime
    subject_address: str | None = None
    obstacles: list[Obstacle] = field(default_factory=list)


class JobPage(StaffWordsAdmin):
    """The page of a job, whichever list led to it."""

    change_form_template = "admin/jobs/job_page.html"
    show_full_result_count = False
    readonly_fields = ("stands", "waits_for", "next_attempt", "cause", "about", "given", "trace", "times", "counts")
    fieldsets = (
        (
            None,
            {"fields": ("task", "stands", "waits_for", "next_attempt", "cause", "about", "counts", "given", "times")},
        ),
        (_("Traceback"), {"fields": ("trace",)}),
        (
            _("Machinery"),
            {
                "classes": ("collapse",),
                "fields": (
                    "queue",
                    "destination",
                    "priority",
                    "ordering_key",
                    "unique_key",
                    "correlation_id",
                    "worker",
                    "deliveries",
                    "generation",
                    "publish_number",
                    "token",
                ),
            },
        ),
    )

    class Media:
        css = {"all": ("jobs/css/ledger.css",)}

    @admin.display(description=_("task"), ordering="task")
    def what(self, job: Job) -> SafeString:
        """The task's name, which may break behind its app where the column is narrow."""
        app, dot, name = job.task.partition(".")
        return format_html("{}{}<wbr>{}", app, dot, name)

    @admin.display(description=_("state"))
    def stands(self, job: Job) -> SafeString:
        words = format_html('<span class="chip {}">{}</span>', job.state, job.get_state_display())
        return format_html("{} {}", words, reason_in_words(job.reason)) if job.reason else words

    @admin.display(description=_("why it waits"))
    def waits_for(self, job: Job) -> SafeString | str:
        """All that holds it, each with a link to the job that it waits for."""
        obstacles = _around(job).obstacles
        if not obstacles:
            return gettext("Nothing holds it: it starts next.")
        return format_html_join("", "<div>{}</div>", ((_with_link(each),) for each in obstacles))

    @admin.display(description=_("next attempt"))
    def next_attempt(self, job: Job) -> SafeString | str:
        now = _around(job).now
        if job.available_at <= now:
            return gettext("as soon as nothing holds it")
        return exactly(job.available_at, now)

    @admin.display(description=_("cause"), empty_value="–")
    def cause(self, job: Job) -> SafeString | None:
        """Why its last attempt failed; a job that is done forgets it."""
        if not job.error and job.state != Job.State.DEAD:
            return None
        if job.state != Job.State.DEAD:
            return format_html("{}", for_eyes(job.error))
        words = cause_in_words(reason=job.reason, error=job.error)
        return format_html('{}<br><span class="quiet">{}</span>', words, for_eyes(job.error))

    @admin.display(description=_("about"), empty_value="–")
    def about(self, job: Job) -> SafeString | str | None:
        address = _around(job).subject_address
        return format_html('<a href="{}">{}</a>', address, job.subject) if address else job.subject or None

    @admin.display(description=_("arguments"))
    def given(self, job: Job) -> SafeString:
        shown = json.dumps(for_staff(job.args), indent=2, ensure_ascii=False)
        return format_html('<pre class="code">{}</pre>', shown)

    @admin.display(description=_("traceback"), empty_value="–")
    def trace(self, job: Job) -> SafeString | None:
        return format_html('<pre class="code">{}</pre>', for_eyes(job.traceback)) if job.traceback else None

    @admin.display(description=_("attempts"))
    def counts(self, job: Job) -> str:
        """How often it failed, was claimed and was replayed, where it is not nothing."""
        words = [ngettext("%(n)d failed", "%(n)d failed", job.attempts) % {"n": job.attempts}]
        if job.deliveries:
            claims = ngettext("%(n)d claim since", "%(n)d claims since", job.deliveries)
            words.append(claims % {"n": job.deliveries})
        if job.generation:
            words.append(ngettext("replayed once", "replayed %(n)d times", job.generation) % {"n": job.generation})
        return ", ".join(words)

    @admin.display(description=_("when (UTC)"))
    def times(self, job: Job) -> SafeString:
        ends = {Job.State.DEAD: _("died"), Job.State.CANCELLED: pgettext_lazy("job", "cancelled")}
        moments = [
            (_("created"), job.created_at),
            (_("due"), job.available_at),
            (_("handed to the broker"), job.published_at),
            (_("started"), job.started_at),
            (ends.get(Job.State(job.state), _("ended")), job.finished_at),
        ]
        return listed(moments, _around(job).now)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Without the rows that say nothing about a job in its state."""
        waits = obj is not None and obj.state in (Job.State.WAITING, Job.State.PUBLISHED)
        left_out = set() if waits else {"waits_for"}
        if obj is not None and obj.state != Job.State.WAITING:
            left_out.add("next_attempt")
        if obj is not None and not obj.error and obj.state != Job.State.DEAD:
            left_out.add("cause")
        shown = []
        for title, options in super().get_fieldsets(request, obj):
            fields = [name for name in options["fields"] if name not in left_out]
            if fields != ["trace"] or (obj is not None and obj.traceback):
                shown.append((title, {**options, "fields": fields}))
        return shown

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        """Django's page, with what surrounds the job, the trail and the buttons."""
        now = database_now()
        obj.reason = words_about(request, obj.reason, subject=obj.subject)
        obj.surroundings = Surroundings(
            now=now,
            subject_address=address_of(request, obj.subject),
            obstacles=why_it_waits(job=obj, now=now),
        )
        context |= {
            "title": gettext("Job %(id)s") % {"id": obj.pk},
            "subtitle": None,
            "trail": trail_of(request, job_id=obj.pk, subject=obj.subject, now=now),
            "buttons": _buttons(request, obj, now),
            "is_quarantined": obj.state == Job.State.DEAD and obj.generation >= QUARANTINE_GENERATION,
        }
        return super().render_change_form(request, context, add, change, form_url, obj)


def _around(job: Any) -> Surroundings:
    found: Surroundings = job.surroundings
    return found


def _with_link(obstacle: Obstacle) -> SafeString | str:
    if obstacle.job_id is None:
        return obstacle.sentence
    words = gettext("Job %(id)s is the first.") % {"id": obstacle.job_id}
    address = reverse("admin:jobs_job_change", args=[obstacle.job_id])
    return format_html('{} <a href="{}">{}</a>', obstacle.sentence, address, words)


def _buttons(request: HttpRequest, job: Job, now: datetime) -> list[tuple[str, Any]]:
    """What this user may do to the job now: addresses and words."""
    seen = f"{job.pk}:{job.generation}"
    if job.state == Job.State.DEAD:
        offered = [("replay", _("Replay…")), ("discard", _("Discard…"))]
        return [
            (f"{reverse(f'admin:jobs_deadjob_{verb}')}?{urlencode({'jobs': seen})}", words)
            for verb, words in offered
            if request.user.has_perm(f"jobs.{verb}_job")
        ]
    query = urlencode({"jobs": seen, "back": FROM_ITS_PAGE})
    return [
        (f"{reverse('admin:jobs_job_verb', args=[verb.name])}?{query}", verb.opens)
        for verb in VERBS
        if may(request, verb) and not verb.why_not(job, now)
    ]
