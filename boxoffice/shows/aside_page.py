"""The page on which staff put seats of a show aside, or back on sale.

First which seats, as they are said; then it asks once, telling which of them stay as they are; then it is done. Places
without a number have a page of their own (``places_page``), to which this one leads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from boxoffice.errors import BoxOfficeError
from boxoffice.shows.errors import NothingPutAside, NothingPutBack
from boxoffice.shows.places_page import key_of, places_page
from boxoffice.shows.put_aside import put_aside, put_back
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for, why_not
from boxoffice.support.seats_by_name import FreeRow, HouseSeat, free_rows, house_of, named_seats
from inventory.block_places import areas_of
from inventory.errors import InventoryError
from inventory.models import Seat, Show
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError

PERMISSION = "boxoffice.block_seats"

ASIDE, BACK = "aside", "back"


class SeatsForm(forms.Form):
    """Which seats, and what is to become of them."""

    what = forms.ChoiceField(
        label=gettext_lazy("What is to be done?"),
        widget=forms.RadioSelect,
        choices=[(ASIDE, gettext_lazy("Put aside: nobody can buy them")), (BACK, gettext_lazy("Put back on sale"))],
        initial=ASIDE,
    )
    seats = forms.CharField(
        label=gettext_lazy("Seats"),
        max_length=2_000,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off", "autofocus": True}),
        help_text=gettext_lazy("For example: C 5-12, or: Stalls C 5, D 7. 200 at most."),
    )


@dataclass(frozen=True)
class _Chosen:
    """The seats that were named, by what becomes of them."""

    changed: Sequence[Seat]
    held: Sequence[Seat]
    sold: Sequence[Seat]
    as_wished: Sequence[Seat]


def has_seats_to_put_aside(show: Show) -> bool:
    """Whether it is neither cancelled nor over: what the services ask of its row."""
    return show.takes_place or show.status == Show.Status.DRAFT


def aside_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Choose (GET), ask (GET with ``seats``), or do it and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not has_seats_to_put_aside(show):
        return refuse(request, why_not(show), to=address_of_show(show))
    if "area" in (request.POST if request.method == "POST" else request.GET):
        return places_page(page, request, show)
    if request.method == "POST":
        return _do(page, request, show, request.POST)
    form = SeatsForm(request.GET if "seats" in request.GET else None)
    if form.is_valid():
        try:
            return _ask(page, request, show, form.cleaned_data, ReasonForm())
        except (BoxOfficeError, InventoryError) as refusal:
            form.add_error("seats", str(refusal))
    return ask(
        page,
        request,
        show,
        title=_("Put seats of “%(show)s” aside, or back") % {"show": show.title},
        button=_("Go on…"),
        form=form,
        template="aside.html",
        areas=[(area, urlencode({"area": key_of(area)})) for area in areas_of(show_id=show.pk)],
        rows=_rows_of(Seat.objects.filter(show=show, status=Seat.Status.BLOCKED).order_by("position")),
    )


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, show: Show, typed: dict[str, str], form: ReasonForm
) -> HttpResponse:
    """Raises what speaks against it by now."""
    back = typed["what"] == BACK
    chosen = _chosen(show, typed["seats"], back=back)
    if not chosen.changed and not form.is_bound:
        raise (NothingPutBack if back else NothingPutAside)(" ".join(_staying(chosen, back=back)))
    seats = in_words(chosen.changed)
    count = len(chosen.changed)
    if back:
        title = ngettext("Put %(n)d seat back on sale?", "Put %(n)d seats back on sale?", count) % {"n": count}
        effects = [_("On sale again at once: %(seats)s.") % {"seats": seats}]
    else:
        title = ngettext("Put %(n)d seat aside?", "Put %(n)d seats aside?", count) % {"n": count}
        effects = [_("Nobody can buy them until they are put back: %(seats)s.") % {"seats": seats}]
    effects += _staying(chosen, back=back)
    return ask(
        page,
        request,
        show,
        title=title,
        button=_("Put back on sale") if back else pgettext("button", "Put aside"),
        form=form,
        effects=effects,
        hidden=[
            ("what", typed["what"]),
            ("named", typed["seats"]),
            *(("seat", f"{seat.pk}.{seat.version}") for seat in chosen.changed),
        ],
    )


def _chosen(show: Show, text: str, *, back: bool) -> _Chosen:
    house = house_of(show_id=show.pk)
    free = {seat.id for seat in house if seat.is_free}
    ids = named_seats(text=text, house=house)
    seats = list(Seat.objects.filter(pk__in=ids).select_related("tier").order_by("position"))
    aside = [seat for seat in seats if seat.status == Seat.Status.BLOCKED]
    on_sale = [seat for seat in seats if seat.pk in free]
    return _Chosen(
        changed=aside if back else on_sale,
        held=[seat for seat in seats if seat.status == Seat.Status.HELD and seat.pk not in free],
        sold=[seat for seat in seats if seat.status == Seat.Status.SOLD],
        as_wished=on_sale if back else aside,
    )


def _staying(chosen: _Chosen, *, back: bool) -> list[str]:
    told = (
        (chosen.sold, _("Sold, and stay so: %(seats)s. Move or refund their orders first.")),
        (chosen.held, _("Being bought just now, and stay so: %(seats)s. Try again in some minutes.")),
        (chosen.as_wished, _("On sale already: %(seats)s.") if back else _("Put aside already: %(seats)s.")),
    )
    return [words % {"seats": in_words(seats)} for seats, words in told if seats]


def _do(page: admin.ModelAdmin, request: HttpRequest, show: Show, typed: QueryDict) -> HttpResponse:
    here = reverse("admin:inventory_show_aside", args=[show.pk])
    form = ReasonForm(typed)
    back = typed.get("what") == BACK
    try:
        if not form.is_valid():
            said = {"what": typed.get("what", ASIDE), "seats": typed.get("named", "")}
            return _ask(page, request, show, said, form)
        seen = _seen(typed)
        service = put_back if back else put_aside
        seats = service(show_id=show.pk, seen=seen, by=request.user.get_username(), reason=form.cleaned_data["reason"])
    except JobsError as refusal:
        return refuse(request, refusal, to=here)
    words = _("On sale again: %(seats)s.") if back else _("Put aside: %(seats)s.")
    messages.success(request, words % {"seats": in_words(seats)})
    if left := len(seen) - len(seats):
        changed = ngettext(
            "%(n)d seat has changed meanwhile and stays as it is.",
            "%(n)d seats have changed meanwhile and stay as they are.",
            left,
        )
        messages.warning(request, changed % {"n": left})
    return HttpResponseRedirect(here)


def _seen(typed: QueryDict) -> dict[int, int]:
    """Seats and their versions as the page sent them."""
    seen = {}
    for said in typed.getlist("seat"):
        seat_id, _dot, version = said.partition(".")
        if not (seat_id.isdecimal() and version.isdecimal() and len(seat_id) < 19 and len(version) < 10):
            raise NothingPutAside
        seen[int(seat_id)] = int(version)
    return seen


def in_words(seats: Iterable[Seat]) -> str:
    """The seats row by row: "Stalls, row A: 1–4, 7; Stalls, row B: 2"."""
    rows = _rows_of(seats)
    return "; ".join(f"{row.place or '–'}: {row.numbers or row.count}" for row in rows)


def _rows_of(seats: Iterable[Seat]) -> list[FreeRow]:
    named = [HouseSeat(seat.pk, seat.zone, seat.row, seat.number, seat.tier_id, True) for seat in seats]
    return free_rows(named, tier_ids={seat.tier_id for seat in named})
