"""The pages at the support desk that refund an order, or try a failed refund again.

Each asks once, says what will happen, and tells afterwards what it did. However often somebody presses it is done once:
the services decide.
"""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.disputes.selectors import only_disputed_money
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order, OrderLine, Refund
from boxoffice.refunds.errors import LinesRefunded, PaymentDisputed
from boxoffice.refunds.kept_by_bank import kept_by_bank
from boxoffice.refunds.refund_order import RefundedOrder, refund_order
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.refunds.try_again import try_again
from boxoffice.selectors import lines_of_order
from boxoffice.support.actions.order_desk import back, order_page, refuse
from boxoffice.support.story.money_words import goes_back
from boxoffice.support.story.refund_story import what_is_owed
from inventory.money import Money
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.errors import JobsError
from tickets.models import Ticket

PERMISSION = "boxoffice.refund_order"


class RefundForm(ReasonForm):
    """Why, and that tickets which let somebody in are meant as well."""

    even_used = forms.BooleanField(
        label=gettext_lazy("Refund it all the same: somebody has gone in with one of these tickets."), required=False
    )


def may_refund(request: HttpRequest, order: Order) -> bool:
    """Whether this user may, and there is something left."""
    return request.user.has_perm(PERMISSION) and order.status in REFUNDABLE


def refund_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Choose seats (GET), ask (GET with ``line``), or refund them and say so (POST)."""
    order = _order(request, order_id)
    if not may_refund(request, order):
        messages.warning(request, _("There is nothing left to refund in order %(code)s.") % {"code": order.code})
        return back(order)
    if only_disputed_money(order_id=order.pk):
        return refuse(request, order, PaymentDisputed())
    left = list(lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True))
    typed = request.POST if request.method == "POST" else request.GET
    chosen = _chosen(left, typed)
    if not chosen and request.method == "POST" and _numbers(typed):
        messages.error(request, str(LinesRefunded()))
        return back(order)
    if not chosen:
        return _choose(page, request, order, left, nothing_chosen="asked" in typed)
    form = RefundForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            done = refund_order(
                order_id=order.pk,
                line_ids=_numbers(typed),
                by=request.user.get_username(),
                **form.cleaned_data,
            )
        except JobsError as refusal:
            if not isinstance(refusal, BoxOfficeError):
                raise
            messages.error(request, str(refusal))
            return back(order)
        messages.success(request, _told(done))
        return back(order)
    return _ask(page, request, order, chosen, form)


def again_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int, refund_id: int) -> HttpResponse:
    """Ask (GET), or plan another attempt and say so (POST)."""
    order = _order(request, order_id)
    refund = (
        Refund.objects.filter(pk=refund_id, payment__order_id=order.pk).select_related("payment__write_off").first()
    )
    if refund is None:
        raise Http404
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        title = _("Try the refund of %(amount)s again?") % {"amount": refund.money}
        kept = kept_by_bank([refund]).get(refund.pk, "")
        owed = what_is_owed(refund, now=database_now(), kept_by_bank=kept)
        about = {"form": form, "refund": refund, "advice": owed.advice if owed else ""}
        return order_page(page, request, order, "try_again.html", title=title, **about)
    try:
        try_again(refund_id=refund.pk, by=request.user.get_username(), reason=form.cleaned_data["reason"])
    except BoxOfficeError as refusal:
        messages.error(request, str(refusal))
    else:
        words = _("The refund of %(amount)s is being tried again. What becomes of it stands on this page.")
        messages.success(request, words % {"amount": refund.money})
    return back(order)


def _order(request: HttpRequest, order_id: int) -> Order:
    if not request.user.has_perm(PERMISSION) or not request.user.has_perm("boxoffice.view_order"):
        raise PermissionDenied
    order = Order.objects.select_related("show__venue").filter(pk=order_id).first()
    if order is None:
        raise Http404
    return order


def _numbers(typed: QueryDict) -> list[int]:
    return [int(number) for number in typed.getlist("line") if number.isdecimal() and len(number) < 19]


def _chosen(left: Iterable[OrderLine], typed: QueryDict) -> list[OrderLine]:
    """What is left of what was ticked. The service is asked for all of it, and refuses what has gone meanwhile."""
    numbers = set(_numbers(typed))
    return [line for line in left if line.pk in numbers]


def _choose(
    page: admin.ModelAdmin, request: HttpRequest, order: Order, left: list[OrderLine], *, nothing_chosen: bool
) -> HttpResponse:
    title = _("Refund order %(code)s: which seats?") % {"code": order.code}
    return order_page(page, request, order, "refund_seats.html", title=title, lines=left, nothing_chosen=nothing_chosen)


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, order: Order, lines: list[OrderLine], form: RefundForm
) -> HttpResponse:
    money = Money.sum((line.money for line in lines), currency=order.currency)
    used = Ticket.objects.filter(
        order_id=order.pk, seat_id__in=[line.seat_id for line in lines], status=Ticket.Status.USED
    )
    if money:
        title = _("Refund %(amount)s of order %(code)s?") % {"amount": money, "code": order.code}
    else:
        title = _("Cancel tickets of order %(code)s?") % {"code": order.code}
    words = ngettext("%(n)d ticket", "%(n)d tickets", len(lines)) % {"n": len(lines)}
    return order_page(
        page,
        request,
        order,
        "refund.html",
        title=title,
        lines=lines,
        money=money,
        form=form,
        tickets_in_words=words,
        used=list(used.select_related("seat")),
        moves=goes_back(order=order, money=money),
    )


def _told(done: RefundedOrder) -> str:
    seats = ngettext("%(n)d seat is on sale again", "%(n)d seats are on sale again", len(done.lines)) % {
        "n": len(done.lines)
    }
    if done.refund is None:
        words = _("Order %(code)s: %(seats)s, and no money moves.") % {"code": done.order.code, "seats": seats}
    else:
        if done.refund.payment.is_by_hand:
            words = _("Order %(code)s: %(seats)s. Pay %(amount)s out by hand now, then record it here.")
        else:
            words = _("Order %(code)s: %(seats)s, and %(amount)s is on its way to the payment provider.")
        words %= {"code": done.order.code, "seats": seats, "amount": done.money}
    return format_html('{} <a href="#timeline">{}</a>', words, _("See what happens to it"))
