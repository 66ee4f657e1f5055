"""The page on which staff put the seats of a lost dispute back on sale."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from boxoffice.disputes.release_seats import may_be_released, release_seats
from boxoffice.errors import BoxOfficeError
from boxoffice.refunds.errors import NothingToRefund
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.selectors import lines_of_order
from boxoffice.support.actions.cancel_page import PERMISSION, CancelForm, CancelUsedForm
from boxoffice.support.actions.order_desk import ask, back, by, order_for, refuse, say
from jobs.errors import JobsError
from tickets.models import Ticket


def release_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask (GET), or put them back and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=PERMISSION)
    if order.status not in REFUNDABLE or not may_be_released(order_id=order.pk):
        return refuse(request, order, NothingToRefund())
    used = Ticket.objects.filter(order_id=order.pk, status=Ticket.Status.USED).exists()
    form = (CancelUsedForm if used else CancelForm)(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        left = lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True)
        seats = "; ".join(line.seat.label or line.tier_name for line in left)
        return ask(
            page,
            request,
            order,
            title=_("Sell the seats of order %(code)s again?") % {"code": order.code},
            button=_("Put the seats back on sale"),
            form=form,
            effects=[
                _("The dispute is lost: who paid has the money back from the bank, and no money moves."),
                _("On sale again at once: %(seats)s.") % {"seats": seats},
                _("Should an appeal be won later, the tickets do not come back."),
                _("Nobody is written to."),
            ],
            final=True,
        )
    try:
        release_seats(order_id=order.pk, by=by(request), **form.cleaned_data)
    except (BoxOfficeError, JobsError) as refusal:
        return refuse(request, order, refusal)
    say(request, _("The seats of order %(code)s are on sale again, and no money moves.") % {"code": order.code})
    return back(order)
