"""The page on which staff record that they have paid a refund out: in cash, or at the card terminal."""

from __future__ import annotations

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from boxoffice.changes.errors import NotPaidOutByHand
from boxoffice.changes.pay_out import pay_out
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Refund
from boxoffice.support.actions.order_desk import ask, back, by, order_for, refuse, say
from jobs.admin.reason_form import ReasonForm

PERMISSION = "boxoffice.pay_out"


def payout_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int, refund_id: int) -> HttpResponse:
    """Ask (GET), or write it down and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=PERMISSION)
    refund = Refund.objects.select_related("payment").filter(pk=refund_id, payment__order_id=order.pk).first()
    if refund is None:
        raise Http404
    if not refund.payment.is_by_hand or refund.status != Refund.Status.PLANNED:
        return refuse(request, order, NotPaidOutByHand())
    form = ReasonForm(request.POST if request.method == "POST" else None)
    form.fields["reason"].label = _("How, and to whom")
    if not form.is_valid():
        told = _("A mail to %(email)s says so.") % {"email": order.email} if order.email else _("Nobody is written to.")
        return ask(
            page,
            request,
            order,
            title=_("Was %(amount)s paid out?") % {"amount": refund.money},
            button=_("Record that it was paid out"),
            form=form,
            effects=[
                _("It was paid by: %(method)s. Give the money back first: this page moves none.")
                % {"method": refund.payment.get_method_display()},
                told,
            ],
            final=True,
        )
    try:
        pay_out(refund_id=refund.pk, by=by(request), reason=form.cleaned_data["reason"])
    except BoxOfficeError as refusal:
        return refuse(request, order, refusal)
    say(request, _("%(amount)s is recorded as paid out.") % {"amount": refund.money})
    return back(order)
