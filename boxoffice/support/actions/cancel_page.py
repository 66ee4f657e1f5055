"""The page on which staff cancel an order. It says beforehand what becomes of money, seats, tickets and mails."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.changes.cancel_order import CancelledOrder, cancel_order
from boxoffice.changes.errors import NotToBeCancelled
from boxoffice.disputes.selectors import only_disputed_money
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order, Payment
from boxoffice.payments import transitions as payments
from boxoffice.refunds.errors import PaymentDisputed
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.selectors import lines_of_order
from boxoffice.support.actions.order_desk import ask, back, by, order_for, refuse, say
from boxoffice.support.story.money_words import goes_back
from inventory.money import Money
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError
from tickets.models import Ticket

PERMISSION = "boxoffice.cancel_order"


class CancelForm(ReasonForm):
    """Why."""


class CancelUsedForm(ReasonForm):
    """Why, and that tickets which let somebody in are meant as well."""

    even_used = forms.BooleanField(
        label=gettext_lazy("Cancel it all the same: somebody has gone in with one of these tickets."), required=False
    )
    field_order = ("even_used", "reason")


def can_be_cancelled(order: Order) -> bool:
    """Whether there is something left to cancel."""
    return order.status in (*REFUNDABLE, Order.Status.PENDING_PAYMENT)


def cancel_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask (GET), or cancel and say what was done (POST)."""
    order = order_for(request, order_id=order_id, permission=PERMISSION)
    if not can_be_cancelled(order):
        return refuse(request, order, NotToBeCancelled())
    if order.status in REFUNDABLE and only_disputed_money(order_id=order.pk):
        return refuse(request, order, PaymentDisputed())
    used = Ticket.objects.filter(order_id=order.pk, status=Ticket.Status.USED).exists()
    form = (CancelUsedForm if used else CancelForm)(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return ask(
            page,
            request,
            order,
            title=_("Cancel order %(code)s?") % {"code": order.code},
            button=_("Cancel the order"),
            form=form,
            effects=_effects_of_refund(order) if order.status in REFUNDABLE else _effects_without_money(order),
            final=True,
        )
    try:
        done = cancel_order(order_id=order.pk, by=by(request), **form.cleaned_data)
    except (BoxOfficeError, JobsError) as refusal:
        return refuse(request, order, refusal)
    say(request, _told(done))
    return back(order)


def _effects_without_money(order: Order) -> list[str]:
    effects = [
        _("Nothing was sold, so no money moves."),
        _("On sale again at once, if its time has not run out already: %(seats)s.") % {"seats": _seats(order)},
    ]
    if Payment.objects.filter(order=order, status__in=payments.OPEN).exists():
        effects.append(
            _("Its payment page is closed. Should money come all the same, it goes back, and a mail says so.")
        )
    effects.append(_("Nobody is written to."))
    return effects


def _effects_of_refund(order: Order) -> list[str]:
    left = list(lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True))
    money = Money.sum((line.money for line in left), currency=order.currency)
    void = ngettext(
        "%(n)d ticket becomes void: its QR code admits nobody any more.",
        "%(n)d tickets become void: their QR codes admit nobody any more.",
        len(left),
    )
    effects = [goes_back(order=order, money=money), void % {"n": len(left)}]
    effects.append(_("On sale again at once: %(seats)s.") % {"seats": _seats(order)})
    if order.email:
        effects.append(_("A mail to %(email)s says so.") % {"email": order.email})
    else:
        effects.append(_("Nobody is written to: the order has no e-mail address."))
    return effects


def _seats(order: Order) -> str:
    lines = lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True)
    return "; ".join(line.seat.label or line.tier_name for line in lines)


def _told(done: CancelledOrder) -> str:
    code = {"code": done.order.code}
    if done.refunded is None:
        return _("Order %(code)s is cancelled, and no money moves.") % code
    if done.refunded.refund is None:
        return _("Order %(code)s is cancelled, its seats are on sale again, and no money moves.") % code
    if done.refunded.refund.payment.is_by_hand:
        words = _("Order %(code)s is cancelled, and its seats are on sale again. Pay %(amount)s out by hand now.")
    else:
        words = _("Order %(code)s is cancelled, its seats are on sale again, and %(amount)s is on its way back.")
    return words % {**code, "amount": done.refunded.money}
