"""Giving a whole order back, by its fan, after the show was postponed or moved.

A page of its own, since the order's page sends no referrer, and a form sent without one is refused.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from boxoffice.errors import BoxOfficeError, OrderNotFound
from boxoffice.models import Order
from boxoffice.money_back import money_back_of
from boxoffice.order_page import newest_refunds
from boxoffice.refunds.kept_by_bank import kept_by_bank
from boxoffice.selectors import lines_of_order, order_by_token
from boxoffice.self_help.ask_money_back import ask_money_back, is_given_back
from boxoffice.self_help.errors import MoneyBackDisputed, TooLateForMoneyBack
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.storefront.see_other import SeeOther
from inventory.models import Show
from inventory.money import Money
from inventory.venue_time import in_venue_time


@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def money_back(request: HttpRequest, token: str) -> HttpResponse:
    """GET: what would be given back, and until when that can be done; or what was. POST: give it back."""
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    if order.show.status == Show.Status.CANCELLED:
        return SeeOther(reverse("order", args=[token]))  # it goes back without being asked for, as is told there
    if request.method != "POST":
        return _page(request, order)
    try:
        ask_money_back(order_id=order.pk)
    except BoxOfficeError as error:
        return _page(request, order, problem=str(error), status=error.status_code)
    return SeeOther(reverse("money_back", args=[token]))


def _page(request: HttpRequest, order: Order, *, problem: str = "", status: int = 200) -> HttpResponse:
    lines = list(lines_of_order(order_id=order.pk))
    left = [line for line in lines if line.refunded_at is None]
    offered = money_back_of(order=order)
    until = offered.until
    done = is_given_back(order)
    if not done and until is None and not problem:
        problem, status = str(MoneyBackDisputed() if offered.is_disputed else TooLateForMoneyBack()), 409
    refunds = newest_refunds(order) if done else []
    kept = kept_by_bank(refunds)
    context = {
        "order": order,
        "show": order.show,
        "done": done,
        "problem": problem,
        "count": len(left),
        "money": Money.sum((line.money for line in left), currency=order.currency),
        "until": in_venue_time(instant=until, zone=order.show.venue.zone) if until else "",
        "by_hand": any(each.payment.is_by_hand for each in refunds),
        "back": Money.sum((each.money for each in refunds if each.pk not in kept), currency=order.currency),
        "is_disputed": bool(kept),
    }
    return render(request, "boxoffice/money_back.html", context, status=status)
