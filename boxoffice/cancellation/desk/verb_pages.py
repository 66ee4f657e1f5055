"""The pages that ask before something is done to a cancellation: pausing, resuming, trying again what failed, writing
off, and undoing that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.cancellation.desk.order_rows import orders_by_hand, orders_left_over, orders_written_off
from boxoffice.cancellation.desk.progress_page import REFUND, WRITE_OFF, grouped
from boxoffice.cancellation.desk.start_page import PERMISSION, address_of_cancellation, sums_in_words
from boxoffice.cancellation.errors import NothingToTryAgain, NothingToWriteOff, NothingWrittenOff
from boxoffice.cancellation.pause import pause_refunds
from boxoffice.cancellation.resume import resume_refunds
from boxoffice.cancellation.try_failed_again import ANY_NUMBER, FailedRefunds, ask_to_try_again, failed_refunds
from boxoffice.cancellation.write_off import undo_write_off, write_off
from boxoffice.models import Cancellation, Order
from boxoffice.shows.show_desk import ask, refuse, show_for
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError


class AgainForm(ReasonForm):
    """Why, and the newest of those that the page counted."""

    until = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=ANY_NUMBER)


def pause_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or let the refunds wait (POST)."""
    show_for(request, show_id=show_id, permission=PERMISSION)
    _cancellation(show_id)
    return _ask(
        page,
        request,
        show_id=show_id,
        permission=PERMISSION,
        title=_("Pause the refunds?"),
        button=_("Pause"),
        effects=[
            _("No refund of this show is sent until somebody resumes them. What is being sent this moment ends."),
            _("Planning, mails and the week go on, and so do refunds of other shows."),
        ],
        do=lambda typed: pause_refunds(show_id=show_id, **typed),
        done=_("The refunds are paused."),
    )


def resume_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or let them go on (POST)."""
    show_for(request, show_id=show_id, permission=PERMISSION)
    cancellation = _cancellation(show_id)
    by_balance = cancellation.pause == Cancellation.Pause.BALANCE
    effects = [_("Refunds that wait are sent again, at the provider’s rate.")]
    if by_balance:
        effects.append(_("If the balance is still too low, the first refusal pauses them again; nothing is lost."))
    return _ask(
        page,
        request,
        show_id=show_id,
        permission=PERMISSION,
        title=_("Try the refunds now?") if by_balance else _("Let the refunds go on?"),
        button=_("Try now") if by_balance else _("Resume"),
        effects=effects,
        do=lambda typed: resume_refunds(show_id=show_id, **typed),
        done=_("The refunds go on."),
        initial={"reason": _("The balance was topped up.")} if by_balance else {},
    )


def again_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or have all refunds tried again that failed (POST)."""
    show_for(request, show_id=show_id, permission=REFUND)
    failed = failed_refunds(cancellation_id=_cancellation(show_id).pk)
    if request.method != "POST" and not failed.count:
        return refuse(request, NothingToTryAgain(), to=address_of_cancellation(show_id))
    effects = [
        _(
            "Each is asked for anew at the payment provider, at its rate. One whose end nobody knows is looked up "
            "first."
        ),
        _("Nothing is given back twice: what was refunded, disputed or written off meanwhile is left out."),
    ]
    if failed.in_vain:
        effects.append(_in_vain(failed.in_vain))

    def tried(found: FailedRefunds) -> dict[str, str]:
        refunds = ngettext("%(n)s refund", "%(n)s refunds", found.count) % {"n": grouped(found.count)}
        return {"refunds": refunds, "money": sums_in_words(found.money)}

    done = _("%(refunds)s of %(money)s are being tried again. What becomes of them stands on this page.")
    return _ask(
        page,
        request,
        show_id=show_id,
        permission=REFUND,
        title=_("Try %(refunds)s of %(money)s again?") % tried(failed),
        button=_("Try them again"),
        effects=effects,
        do=lambda typed: ask_to_try_again(show_id=show_id, **typed),
        done=lambda found: done % tried(found),
        form_class=AgainForm,
        initial={"until": failed.newest},
    )


def _in_vain(count: int) -> str:
    return ngettext(
        "%(n)s more is left out: no attempt can mend it (a card that is lost or has expired, a dispute, money "
        "that has gone back already). Pay it another way, or write it off.",
        "%(n)s more are left out: no attempt can mend them (a card that is lost or has expired, a dispute, "
        "money that has gone back already). Pay them another way, or write them off.",
        count,
    ) % {"n": grouped(count)}


def write_off_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int, order_id: int) -> HttpResponse:
    """Ask (GET), or write off what is left of the order (POST)."""
    show_for(request, show_id=show_id, permission=WRITE_OFF)
    order = _order(show_id, order_id)
    left = orders_left_over(show_id=show_id, order_id=order_id)
    by_hand = orders_by_hand(cancellation_id=_cancellation(show_id).pk, order_id=order_id)
    sums = [row.money for row in (*left, *by_hand)]
    if request.method != "POST" and not sums:
        return refuse(request, NothingToWriteOff(), to=address_of_cancellation(show_id))
    money = {"money": sums_in_words(sums), "code": order.code}
    return _ask(
        page,
        request,
        show_id=show_id,
        permission=WRITE_OFF,
        title=_("Write %(money)s of order %(code)s off?") % money,
        button=_("Write off"),
        effects=[
            _("The fan does not get %(money)s, and the accounting can be closed without it.") % money,
            _("It can be undone until the accounting is closed."),
        ],
        do=lambda typed: write_off(order_id=order_id, **typed),
        done=_("%(money)s of order %(code)s are written off.") % money,
    )


def undo_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int, order_id: int) -> HttpResponse:
    """Ask (GET), or take the order's write-off back (POST)."""
    show_for(request, show_id=show_id, permission=WRITE_OFF)
    order = _order(show_id, order_id)
    sums = [row.money for row in orders_written_off(show_id=show_id, order_id=order_id)]
    if request.method != "POST" and not sums:
        return refuse(request, NothingWrittenOff(), to=address_of_cancellation(show_id))
    return _ask(
        page,
        request,
        show_id=show_id,
        permission=WRITE_OFF,
        title=_("Undo the write-off of order %(code)s?") % {"code": order.code},
        button=_("Undo it"),
        effects=[
            _("%(money)s are owed to the fan again: refund or pay them from the order’s page.")
            % {"money": sums_in_words(sums)}
        ],
        do=lambda typed: undo_write_off(order_id=order_id, **typed),
        done=_("The write-off of order %(code)s is undone.") % {"code": order.code},
    )


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    *,
    show_id: int,
    permission: str,
    title: str,
    button: str,
    effects: list[str],
    do: Callable[[dict[str, Any]], object],
    done: str | Callable[[Any], str],
    form_class: type[ReasonForm] = ReasonForm,
    initial: dict[str, Any] | None = None,
) -> HttpResponse:
    """do: is given who and why, and what else the form asks for. done: what is said then, perhaps of what ``do`` has
    returned. initial: what stands in the form at first.
    """
    show = show_for(request, show_id=show_id, permission=permission)
    there = address_of_cancellation(show_id)
    form = form_class(request.POST if request.method == "POST" else None, initial=initial)
    if not form.is_valid():
        return ask(page, request, show, title=title, button=button, form=form, effects=effects, back_url=there)
    try:
        came = do({"by": request.user.get_username(), **form.cleaned_data})
    except JobsError as refusal:
        return refuse(request, refusal, to=there)
    messages.success(request, done if isinstance(done, str) else done(came))
    return HttpResponseRedirect(there)


def _cancellation(show_id: int) -> Cancellation:
    cancellation = Cancellation.objects.filter(show_id=show_id).first()
    if cancellation is None:
        raise Http404
    return cancellation


def _order(show_id: int, order_id: int) -> Order:
    order = Order.objects.filter(pk=order_id, show_id=show_id).first()
    if order is None:
        raise Http404
    _cancellation(show_id)
    return order
