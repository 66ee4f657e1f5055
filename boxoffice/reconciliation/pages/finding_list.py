"""The list of findings: open ones first to come, by kind and owner."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from boxoffice.models import Finding
from boxoffice.reconciliation.findings import count_open, open_findings
from boxoffice.reconciliation.pages.desk import RECONCILE, render
from boxoffice.reconciliation.pages.finding_words import finding_rows
from jobs.clock import database_now

PAGE = 50
WHOSE = (
    ("", gettext_lazy("All")),
    ("nobody", gettext_lazy("Nobody's")),
    ("mine", gettext_lazy("Mine")),
)
STATES = (("", gettext_lazy("Open")), ("resolved", gettext_lazy("Resolved")))


def finding_list(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Fifty at a time: the open ones the oldest day first, the resolved ones the newest first."""
    state = _known(request, "state", [name for name, _words in STATES])
    whose = _known(request, "whose", [name for name, _words in WHOSE])
    kind = _known(request, "kind", Finding.Kind.values)
    start = _place(request.GET.get("from", ""))
    found = list(_found(request, state, whose, kind)[start : start + PAGE + 1])
    picked = {name: value for name, value in (("state", state), ("whose", whose), ("kind", kind)) if value}
    counts = count_open()
    return render(
        page,
        request,
        "finding/list.html",
        title=_("Findings"),
        rows=finding_rows(found[:PAGE], request=request),
        kinds=[(name, label, counts.get(name, 0)) for name, label in Finding.Kind.choices if counts.get(name)],
        all_open=sum(counts.values()),
        states=STATES,
        whose_choices=WHOSE,
        state=state,
        whose=whose,
        kind=kind,
        links=_links(picked),
        more=urlencode({**picked, "from": start + PAGE}) if len(found) > PAGE else "",
        back=urlencode({**picked, "from": max(start - PAGE, 0)}) if start else "",
        may_reconcile=request.user.has_perm(RECONCILE),
        now=database_now(),
    )


def _found(request: HttpRequest, state: str, whose: str, kind: str) -> QuerySet[Finding]:
    owner = {"nobody": "", "mine": request.user.get_username()}.get(whose)
    if not state:
        return open_findings(kind=kind, owner=owner)
    found = Finding.objects.exclude(resolution="").select_related("transaction", "payment", "refund", "order")
    if kind:
        found = found.filter(kind=kind)
    if whose == "mine":
        found = found.filter(resolved_by=owner)
    return found.order_by("-day", "-pk")


def _links(picked: dict[str, str]) -> dict[str, str]:
    """What each group of choices keeps of the others, to put before its own."""
    return {
        group: urlencode({name: value for name, value in picked.items() if name != group})
        for group in ("state", "whose", "kind")
    }


def _known(request: HttpRequest, name: str, values: list[str]) -> str:
    value = request.GET.get(name, "")
    return value if value in values else ""


def _place(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
