"""One finding: what the provider says beside what we say, and what can be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from boxoffice.disputes.dashboard import dashboard_page
from boxoffice.disputes.standing import OPEN
from boxoffice.models import BooksAction, Finding
from boxoffice.reconciliation.actions.offered import offered
from boxoffice.reconciliation.amounts import in_words
from boxoffice.reconciliation.pages.day_words import day_in_words
from boxoffice.reconciliation.pages.desk import RECONCILE, render
from boxoffice.reconciliation.pages.finding_words import (
    disputes_behind,
    effect_of,
    explanation,
    here_facts,
    there_facts,
    verb_in_words,
)
from boxoffice.reconciliation.pages.verb_pages import may_do
from boxoffice.support.story.dispute_story import what_is_disputed
from jobs.clock import database_now


@dataclass(frozen=True)
class Offer:
    """Something that can be done. at_once: by one press, without a page that asks."""

    verb: str
    label: str
    effect: str
    address: str
    at_once: bool
    is_suggested: bool


def finding_page(page: admin.ModelAdmin, request: HttpRequest, finding: Finding) -> HttpResponse:
    """The page. Raises PermissionDenied."""
    if not page.has_view_permission(request, finding):
        raise PermissionDenied
    kind = str(finding.get_kind_display())
    return render(
        page,
        request,
        "finding/finding.html",
        title=f"{capfirst(kind)}: {in_words(finding.amount, finding.currency)}",
        kind=capfirst(kind),
        finding=finding,
        meaning=explanation(finding),
        there=there_facts(finding),
        here=here_facts(finding),
        day_words=day_in_words(finding.day),
        order_link=reverse("admin:boxoffice_order_change", args=[finding.order_id])
        if finding.order_id and request.user.has_perm("boxoffice.view_order")
        else "",
        disputes=_disputes(finding),
        offers=_offers(request, finding),
        may_reconcile=request.user.has_perm(RECONCILE),
        trail=list(BooksAction.objects.filter(finding=finding).order_by("pk")),
        now=database_now(),
    )


def _offers(request: HttpRequest, finding: Finding) -> list[Offer]:
    suggested = Finding.Action(finding.suggestion)
    # Nothing is to be done until the bank has decided: see the words of its kind.
    waits = finding.kind == Finding.Kind.DISPUTE and any(each.status in OPEN for each in disputes_behind(finding))
    return [
        Offer(
            verb=action.value,
            label=verb_in_words(action),
            effect=effect_of(finding, action),
            address=reverse("admin:boxoffice_finding_do", args=[finding.pk, action.value.replace(" ", "-")]),
            at_once=action == Finding.Action.CONFIRM,
            is_suggested=action == suggested and not waits,
        )
        for action in offered(finding)
        if may_do(request, action)
    ]


def _disputes(finding: Finding) -> list[tuple[str, str]]:
    """Each in words, with its page at the provider."""
    told = []
    for dispute in disputes_behind(finding):
        matter = what_is_disputed(dispute)
        words = matter.what if matter else _("Dispute of %(amount)s: %(state)s.") % {
            "amount": dispute.money, "state": dispute.get_status_display()
        }  # fmt: skip
        told.append((words, dashboard_page(provider_id=dispute.provider_id)))
    return told
