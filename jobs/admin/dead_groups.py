"""Dead jobs by task and cause: how many, since when, whom they are about, and what can be done to all of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext

from jobs.admin.chosen_jobs import DISCARD, REPLAY
from jobs.admin.dead_filter import as_query, chosen_by, read_filter
from jobs.admin.subjects import address_of
from jobs.clock import database_now
from jobs.dead.causes import reason_in_words
from jobs.dead.selection import Group, groups, newest_subjects
from jobs.models import DeadRun
from jobs.redact import for_eyes

SHOWN = 50
"""Groups on the page, the largest first. Whoever has more of them has one cause under many names, and filters."""

NAMED = 3
"""Subjects that a group names; all of them stand on its list."""

RECENT = 5
"""Runs that the page shows."""


@dataclass(frozen=True)
class GroupRow:
    """One group as the page shows it. query: what chooses it, within the page's filter. listed: its list's address."""

    group: Group
    cause: str
    subjects: list[str]
    query: str
    listed: str

    @property
    def more_subjects(self) -> int:
        return self.group.subjects - len(self.subjects)


def groups_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The list of groups. Four queries, whatever there is."""
    if not page.has_view_permission(request):
        raise PermissionDenied
    form, given = chosen_by(request.GET)
    now = database_now()
    found = groups(read_filter(given, now=now))
    context = {
        **page.admin_site.each_context(request),
        "title": gettext("Dead jobs by cause"),
        "opts": page.opts,
        "media": page.media,
        "form": form,
        "given": given,
        "now": now,
        "total": sum(group.count for group in found),
        "group_count": len(found),
        "rows": _rows(found[:SHOWN], given, now),
        "query": as_query(given),
        "runs": DeadRun.objects.order_by("-pk")[:RECENT],
        "may_replay": request.user.has_perm(REPLAY.permission),
        "may_discard": request.user.has_perm(DISCARD.permission),
    }
    return TemplateResponse(request, "admin/jobs/dead_groups.html", context)


def subject_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """On to the page of what a dead job is about. Looked up when it is asked for, and not for each line of a list."""
    if not page.has_view_permission(request):
        raise PermissionDenied
    address = address_of(request, request.GET.get("of", ""))
    if address is None:
        raise Http404
    return HttpResponseRedirect(address)


def _rows(shown: list[Group], given: dict[str, str], now: datetime) -> list[GroupRow]:
    subjects = newest_subjects(read_filter(given, now=now), shown, most=NAMED) if shown else {}
    rows = []
    for group in shown:
        chosen: dict[str, Any] = {**given, "task": group.task, "cause": group.cause}
        listed = as_query({"task": group.task, "cause": group.cause})
        rows.append(
            GroupRow(
                group=group,
                cause=for_eyes(reason_in_words(group.cause)),
                subjects=subjects.get((group.task, group.cause), []),
                query=as_query(chosen),
                listed=f"{reverse('admin:jobs_deadjob_changelist')}?{listed}",
            )
        )
    return rows
