"""The page on which staff move an order to other seats while its fan is on the telephone.

First which seats, and to which, as they are said; then it asks once, naming who moves where; then it is done.
"""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.changes.errors import CountDiffers, LinesGone, NotToBeMoved
from boxoffice.changes.move_order import move_order, paired
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order, OrderLine
from boxoffice.refunds.transitions import REFUNDABLE
from boxoffice.support.actions.order_desk import ask, back, by, order_for, refuse, say
from boxoffice.support.seats_by_name import HouseSeat, SeatsNotFree, free_rows, house_of, named_seats
from inventory.errors import InventoryError
from inventory.models import PriceTier, Seat
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError
from jobs.templatetags.ledger import as_button

PERMISSION = "boxoffice.move_order"


class WhereForm(forms.Form):
    """Which seats it is to be."""

    to = forms.CharField(
        label=gettext_lazy("New seats"),
        max_length=500,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off", "autofocus": True}),
        help_text=gettext_lazy("As many as are ticked, for example: C 5-6, or: Stalls C 5, D 7"),
    )


def can_be_moved(order: Order) -> bool:
    """Whether it has seats that could be others."""
    return order.status in REFUNDABLE


def move_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Choose (GET), ask (GET with ``line`` and ``to``), or move and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=PERMISSION)
    if not can_be_moved(order):
        return refuse(request, order, NotToBeMoved())
    typed = request.POST if request.method == "POST" else request.GET
    lines = _lines(order)
    chosen = [line for line in lines if str(line.pk) in typed.getlist("line")]
    if request.method == "POST":
        return _move(page, request, order, chosen, typed)
    form = WhereForm(typed if "to" in typed else None)
    if "to" in typed and not chosen:
        form.add_error(None, _("Choose at least one seat."))
    if form.is_valid():
        try:
            return _ask(page, request, order, chosen, form.cleaned_data["to"], ReasonForm())
        except (BoxOfficeError, InventoryError) as refusal:
            form.add_error("to", str(refusal))
    return _choose(page, request, order, lines, chosen, form)


def _lines(order: Order) -> list[OrderLine]:
    lines = OrderLine.objects.filter(order=order, refunded_at__isnull=True).select_related("seat__tier", "order")
    return list(lines.order_by("seat__position", "pk"))


def _choose(
    page: admin.ModelAdmin,
    request: HttpRequest,
    order: Order,
    lines: Sequence[OrderLine],
    chosen: Sequence[OrderLine],
    form: WhereForm,
) -> HttpResponse:
    ticked = {line.pk for line in chosen} if "to" in request.GET else {line.pk for line in lines}
    return ask(
        page,
        request,
        order,
        title=_("Move order %(code)s: from where to where?") % {"code": order.code},
        button=_("Go on…"),
        form=form,
        template="move.html",
        lines=[(line, line.pk in ticked) for line in lines],
        rows=free_rows(house_of(show_id=order.show_id), tier_ids=_alike(order, lines)),
    )


def _alike(order: Order, lines: Sequence[OrderLine]) -> set[int]:
    """The tiers to which one of the lines could move."""
    prices = {line.price for line in lines}
    own = {line.seat.tier_id for line in lines}
    return own | set(PriceTier.objects.filter(show_id=order.show_id, price__in=prices).values_list("pk", flat=True))


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    order: Order,
    lines: Sequence[OrderLine],
    to: str,
    form: ReasonForm,
) -> HttpResponse:
    """Raises what speaks against it by now."""
    house = house_of(show_id=order.show_id)
    pairs = paired(order=order, lines=lines, seats=_seats(named_seats(text=to, house=house), house, len(lines)))
    void = ngettext(
        "%(n)d ticket becomes void with the reason “moved”: its QR code admits nobody any more.",
        "%(n)d tickets become void with the reason “moved”: their QR codes admit nobody any more.",
        len(pairs),
    )
    effects = [f"{_label(line.seat, line.tier_name)} → {_label(seat, seat.tier.name)}" for line, seat in pairs]
    effects += [
        void % {"n": len(pairs)},
        _("New tickets are made. The old seats are on sale again at once."),
        _("They go to %(email)s, and the mail says that the seats were changed.") % {"email": order.email}
        if order.email
        else _("Nobody is written to: print them from the order’s page."),
        _("No money moves."),
    ]
    hidden = [("line", line.pk) for line, _seat in pairs]
    hidden += [("from", line.seat_id) for line, _seat in pairs]
    hidden += [("seat", seat.pk) for _line, seat in pairs]
    title = ngettext("Move %(n)d seat of order %(code)s?", "Move %(n)d seats of order %(code)s?", len(pairs))
    title %= {"n": len(pairs), "code": order.code}
    return ask(
        page,
        request,
        order,
        title=title,
        button=as_button(title),
        form=form,
        effects=effects,
        hidden=[*hidden, ("to", to)],
    )


def _seats(ids: Sequence[int], house: Sequence[HouseSeat], count: int) -> list[Seat]:
    if len(ids) != count:
        raise CountDiffers(old=count, new=len(ids))
    seats = Seat.objects.filter(pk__in=ids).select_related("tier").order_by("position", "pk")
    free = {seat.id for seat in house if seat.is_free}
    if taken := [seat.label for seat in seats if seat.pk not in free]:
        raise SeatsNotFree(taken)
    return list(seats)


def _move(
    page: admin.ModelAdmin, request: HttpRequest, order: Order, chosen: Sequence[OrderLine], typed: QueryDict
) -> HttpResponse:
    form = ReasonForm(typed)
    try:
        if not form.is_valid():
            return _ask(page, request, order, chosen, typed.get("to", ""), form)
        done = move_order(
            order_id=order.pk,
            line_ids=_numbers(typed, "line"),
            from_ids=_numbers(typed, "from"),
            to_ids=_numbers(typed, "seat"),
            by=by(request),
            reason=form.cleaned_data["reason"],
        )
    except JobsError as refusal:
        return refuse(request, order, refusal)
    seats = "; ".join(_label(new, new.tier.name) for _old, new in done.pairs)
    say(request, _("Order %(code)s sits here now: %(seats)s.") % {"code": order.code, "seats": seats})
    return back(order)


def _numbers(typed: QueryDict, name: str) -> list[int]:
    said = typed.getlist(name)
    if not all(number.isdecimal() and len(number) < 19 for number in said):
        raise LinesGone
    return [int(number) for number in said]


def _label(seat: Seat, tier_name: str) -> str:
    return seat.label or tier_name
