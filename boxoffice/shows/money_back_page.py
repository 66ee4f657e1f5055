"""The page on which staff see who has asked for the money back since a show was postponed or moved, and offer it for
longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.models import OrderAction, OrderLine, Refund, RefundOffer
from boxoffice.self_help.by_fan import BY_FAN, MONEY_BACK
from boxoffice.shows.errors import OfferRefused
from boxoffice.shows.move_page import PERMISSION, can_be_moved
from boxoffice.shows.offer_refunds import extend_offer
from boxoffice.shows.show_desk import refuse, render, show_for
from boxoffice.shows.typed_moment import moment_field
from inventory.models import Show
from inventory.money import Money
from inventory.venue_time import in_venue_time
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.errors import JobsError
from jobs.personal import masked_name, may_see_personal_data

ON_A_PAGE = 100
"""Rows: what one looks through."""


class LaterForm(ReasonForm):
    """Until when, and why."""

    until = moment_field(label=gettext_lazy("Money back on request until"))
    field_order = ("until", "reason")


@dataclass(frozen=True)
class Asked:
    """One order whose fan asked. money: None for what was free. name: masked for who may not see it."""

    order_id: int
    code: str
    name: str
    at: datetime
    money: Money | None
    state: str


def money_back_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Who has asked, and the form that offers it for longer (GET); do that, and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    here = reverse("admin:inventory_show_money_back", args=[show.pk])
    with timezone.override(show.venue.zone):
        form = LaterForm(request.POST if request.method == "POST" else None)
        fits = form.is_valid()
    if fits:
        try:
            extend_offer(show_id=show.pk, by=request.user.get_username(), **form.cleaned_data)
        except OfferRefused as refusal:
            form.add_error("until", str(refusal))
        except JobsError as refusal:
            return refuse(request, refusal, to=here)
        else:
            until = in_venue_time(instant=form.cleaned_data["until"], zone=show.venue.zone)
            messages.success(request, _("Fans can have their money back until %(until)s.") % {"until": until})
            return HttpResponseRedirect(here)
    rows = Paginator(_actions(show).order_by("-pk"), ON_A_PAGE).get_page(request.GET.get("page"))
    return render(
        page,
        request,
        show,
        template="money_back.html",
        title=_("Money back on request"),
        offer=offer_in_words(show),
        form=form if can_be_moved(show) else None,
        rows=rows,
        asked=_asked(list(rows.object_list), masked=not may_see_personal_data(request.user)),
        may_see_orders=request.user.has_perm("boxoffice.view_order"),
    )


def offer_in_words(show: Show) -> str:
    """Until when fans may have their money back, and how many have asked; empty where it was never offered. Two queries
    at most.
    """
    offer = RefundOffer.objects.filter(show=show).first()
    if offer is None:
        return ""
    until = in_venue_time(instant=offer.until, zone=show.venue.zone)
    over = offer.until <= database_now() or not can_be_moved(show)
    count = _actions(show).aggregate(n=Count("pk"), amount=Sum("refund__amount"))
    if over:
        words = ngettext(
            "Money back on request was offered until %(until)s: %(n)d order has asked, %(amount)s.",
            "Money back on request was offered until %(until)s: %(n)d orders have asked, %(amount)s.",
            count["n"],
        )
    else:
        words = ngettext(
            "Money back on request until %(until)s: %(n)d order has asked so far, %(amount)s.",
            "Money back on request until %(until)s: %(n)d orders have asked so far, %(amount)s.",
            count["n"],
        )
    return words % {"until": until, "n": count["n"], "amount": Money(count["amount"] or 0, show.currency)}


def _actions(show: Show) -> QuerySet[OrderAction]:
    """What fans have asked. By order_by_show and the index of the actions' orders."""
    asked = OrderAction.objects.filter(action=OrderAction.Action.REFUND, by=BY_FAN, reason=MONEY_BACK)
    return asked.filter(order__show=show)


def _asked(actions: Sequence[OrderAction], *, masked: bool) -> list[Asked]:
    """With how the newest attempt for each stands, which the lines of its order know. Two queries."""
    numbers = [action.pk for action in actions]
    rows = list(OrderAction.objects.filter(pk__in=numbers).select_related("order").order_by("-pk"))
    line_ids = [line_id for action in rows for line_id in action.line_ids]
    lines = OrderLine.objects.filter(pk__in=line_ids, refund__isnull=False).select_related("refund__payment")
    newest = {line.order_id: line.refund for line in lines}
    return [
        Asked(
            order_id=action.order_id,
            code=action.order.code,
            name=masked_name(action.order.name) if masked else action.order.name,
            at=action.at,
            money=refund.money if (refund := newest.get(action.order_id)) else None,
            state=_state(refund),
        )
        for action in rows
    ]


def _state(refund: Refund | None) -> str:
    if refund is None:
        return _("nothing was paid")
    if refund.payment.is_by_hand and refund.status == Refund.Status.PLANNED:
        return _("to be paid out by hand")
    return str(refund.get_status_display())
