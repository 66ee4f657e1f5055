"""The pages on which staff sell at the counter or by telephone, and give complimentary tickets away.

Which show; which seats, which are held at once, so that nobody takes them while the caller spells his name; who buys
and how it is paid, in one press. The hold makes that press safe to repeat.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.changes.change_hold import give_back
from boxoffice.changes.errors import HoldNotYours
from boxoffice.changes.sell_by_staff import PaidBy, sell_by_staff
from boxoffice.errors import BoxOfficeError, InvalidContact
from boxoffice.gather_places import counted, gather_places, place_of
from boxoffice.models import Order
from boxoffice.support.actions.order_desk import back, by
from boxoffice.support.actions.sell_again import as_buyer, as_seats, order_to_sell_again
from boxoffice.support.actions.sell_forms import GIFT_PERMISSION, MOST_SEATS, PERMISSION, SaleForm, SeatsForm
from boxoffice.support.seats_by_name import SeatsNotFree, free_rows, house_of, named_seats
from inventory.conditions import show_sells
from inventory.errors import InventoryError, NoSeatsChosen, SeatsTaken, UnknownHold
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.models import Hold, Show
from inventory.money import Money
from inventory.selectors import HeldSeats, hold_by_token
from inventory.venue_time import in_venue_time
from jobs.clock import database_now

Status = Hold.Status

MOST_SHOWS = 200
"""In the list of shows: a season of a busy house."""


def may_sell(request: HttpRequest) -> bool:
    """Whether this user sells, or gives tickets away."""
    user = request.user
    return user.has_perm("boxoffice.view_order") and (user.has_perm(PERMISSION) or user.has_perm(GIFT_PERMISSION))


def shows_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Which show: those that sell now, the next one first."""
    _require(request)
    shows = Show.objects.filter(show_sells()).select_related("venue", "availability").order_by("starts_at", "pk")
    listed = [
        (show, in_venue_time(instant=show.starts_at, zone=show.venue.zone), getattr(show, "availability", None))
        for show in shows[:MOST_SHOWS]
    ]
    return _page(page, request, "sell_show.html", title=_("Sell: which show?"), shows=listed)


def seats_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Which seats (GET), or hold them and go on (POST)."""
    _require(request)
    show = Show.objects.filter(show_sells(), pk=show_id).select_related("venue").first()
    if show is None:
        messages.warning(request, _("This show does not sell now. Choose another one."))
        return HttpResponseRedirect(reverse("admin:boxoffice_order_sell"))
    again = order_to_sell_again(request)
    form = SeatsForm(show, request.POST if request.method == "POST" else None, initial=as_seats(again))
    if form.is_valid():
        try:
            hold = _held(show, **form.cleaned_data)
        except (BoxOfficeError, InventoryError) as refusal:
            form.add_error("seats" if form.cleaned_data["seats"] else "count", str(refusal))
        else:
            asked = {"taken": hold.holder, "again": again and again.pk}
            address = reverse("admin:boxoffice_order_sell_hold", args=[hold.pk])
            return HttpResponseRedirect(f"{address}?{urlencode({k: v for k, v in asked.items() if v})}")
    house = house_of(show_id=show.pk)
    form.tell_what_is_free({seat.tier_id for seat in house if seat.is_free})
    return _page(
        page,
        request,
        "sell_seats.html",
        title=_("Sell: which seats?"),
        show=show,
        starts=in_venue_time(instant=show.starts_at, zone=show.venue.zone),
        form=form,
        free=[(tier, rows) for tier in form.tiers if (rows := free_rows(house, tier_ids=[tier.pk]))],
    )


def _held(show: Show, *, seats: str, count: int, tier: str, attempt: UUID | None) -> Hold:
    taken: dict[str, Any] = {"show_id": show.pk, "limit": MOST_SEATS, "holder": attempt}
    if not seats.strip():
        return hold_best_seats(tier_id=int(tier), count=count, **taken)
    house = house_of(show_id=show.pk)
    ids = named_seats(text=seats, house=house)
    if not ids:
        raise NoSeatsChosen
    try:
        return hold_seats(seat_ids=ids, **taken)
    except SeatsTaken as refusal:
        # Not looked at before: sent twice, its own hold has them, and is found again.
        if gone := [seat.label for seat in house if seat.id in ids and not seat.is_free]:
            raise SeatsNotFree(gone) from refusal
        raise


def hold_page(page: admin.ModelAdmin, request: HttpRequest, hold_id: int) -> HttpResponse:
    """Who buys (GET), or sell, and on to the order (POST). ``give_back`` puts the seats on sale again."""
    _require(request)
    held = _hold(hold_id)
    if request.method == "POST" and "give_back" in request.POST:
        return _give_back(request, held.hold)
    at_first = as_buyer(order_to_sell_again(request))
    form = SaleForm(request, request.POST if request.method == "POST" else None, initial=at_first)
    if form.is_valid():
        try:
            order = sell_by_staff(hold_token=held.hold.token, by=by(request), **_typed(form))
        except InvalidContact as refusal:
            for field, sentence in refusal.fields.items():
                form.add_error(field, sentence)
        except (BoxOfficeError, InventoryError) as refusal:
            form.add_error(None, str(refusal))
        else:
            _tell(request, order)
            return back(order)
    return _sale_page(page, request, held, form)


def _hold(hold_id: int) -> HeldSeats:
    token = Hold.objects.filter(pk=hold_id).values_list("token", flat=True).first()
    if token is None:
        raise Http404
    try:
        return hold_by_token(token=token)
    except UnknownHold as error:
        raise Http404 from error


def _typed(form: SaleForm) -> dict[str, Any]:
    typed = dict(form.cleaned_data)
    return {**typed, "channel": Order.Channel(typed["channel"]), "paid_by": PaidBy(typed["paid_by"])}


def _is_own(request: HttpRequest, hold: Hold) -> bool:
    """Whether this page has come from the form that took the seats: nobody else knows what it drew."""
    return hold.holder is not None and request.GET.get("taken") == str(hold.holder)


def _give_back(request: HttpRequest, hold: Hold) -> HttpResponse:
    if _is_own(request, hold) and hold.holder:
        done = give_back(hold_id=hold.pk, holder=hold.holder) or hold.status in (Status.RELEASED, Status.EXPIRED)
    else:
        done = False
    if done:
        messages.success(request, _("The seats are on sale again. Nothing was sold."))
    else:
        messages.error(request, str(HoldNotYours()))
    return HttpResponseRedirect(reverse("admin:boxoffice_order_sell_seats", args=[hold.show_id]))


def _tell(request: HttpRequest, order: Order) -> None:
    words = _("Order %(code)s is sold.") if order.total else _("Order %(code)s is confirmed.")
    told = _("The tickets go to %(email)s.") if order.email else _("Print the tickets from this page in a moment.")
    messages.success(request, f"{words % {'code': order.code}} {told % {'email': order.email}}")


def _sale_page(page: admin.ModelAdmin, request: HttpRequest, held: HeldSeats, form: SaleForm) -> HttpResponse:
    hold = held.hold
    total = Money(sum(hold.prices), hold.currency)
    places = gather_places(
        place_of(seat, tier_name=seat.tier.name, price=Money(hold.price_of(seat_id=seat.pk), hold.currency))
        for seat in held.seats
    )
    left = max(1, round((hold.expires_at - database_now()).total_seconds() / 60))
    kept = ngettext("Kept for %(n)d minute more.", "Kept for %(n)d minutes more.", left) % {"n": left}
    return _page(
        page,
        request,
        "sell.html",
        title=_("Sell: who buys?"),
        form=form,
        hold=hold,
        is_open=held.is_open,
        is_own=_is_own(request, hold),
        order=Order.objects.filter(hold_id=hold.pk).first(),
        starts=in_venue_time(instant=hold.show.starts_at, zone=hold.show.venue.zone),
        places=[(counted(place.label, place.count), place.tier_name, place.price) for place in places],
        total=total,
        kept=kept,
    )


def _require(request: HttpRequest) -> None:
    if not may_sell(request):
        raise PermissionDenied


def _page(page: admin.ModelAdmin, request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
    shared = {**page.admin_site.each_context(request), "opts": page.opts, "media": page.media}
    return TemplateResponse(request, f"admin/boxoffice/order/{template}", {**shared, **context})
