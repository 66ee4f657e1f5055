"""The page on which staff put a show on sale. It says from when, what the seats cost, and what is free of charge.

A show that was postponed goes on by it at the time that it had: it asks why, and tells who was told otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.messages import show_goes_on
from boxoffice.shows.errors import TimeHasPassed
from boxoffice.shows.holders import count_told_of_postponing
from boxoffice.shows.move_page import say_done
from boxoffice.shows.postpone_show import go_on_and_tell
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for, why_not
from inventory.advance_show import advance_show
from inventory.models import PriceTier, Seat, Show
from inventory.venue_time import in_venue_time
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.errors import JobsError

PERMISSION = "inventory.change_show"


class SeenForm(forms.Form):
    """The show as the page showed it: who has changed a price or a time meanwhile is not passed over."""

    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


class GoOnForm(ReasonForm, SeenForm):
    """And why it goes on after all."""


def can_be_put_on_sale(show: Show) -> bool:
    """Whether there is a way to the sale from its state."""
    return show.status in (Show.Status.DRAFT, Show.Status.POSTPONED)


def sale_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or put it on sale and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_put_on_sale(show):
        return refuse(request, why_not(show), to=address_of_show(show))
    goes_on = show.status == Show.Status.POSTPONED
    if goes_on and show.starts_at <= database_now():
        return refuse(request, TimeHasPassed(), to=address_of_show(show))
    kind = GoOnForm if goes_on else SeenForm
    form = kind(request.POST if request.method == "POST" else None, initial={"seen": show.version})
    if form.is_valid():
        return (_go_on if goes_on else _do)(page, request, show, form.cleaned_data)
    told = _told(show) if goes_on else []
    return ask(
        page,
        request,
        show,
        title=_("Put “%(show)s” on sale?") % {"show": show.title},
        button=_("Put on sale and tell everybody") if told else _("Put on sale"),
        form=form,
        effects=[_when(show), *told, *_prices(show), *_seats(show)],
    )


def _do(page: admin.ModelAdmin, request: HttpRequest, show: Show, typed: dict[str, Any]) -> HttpResponse:
    try:
        advance_show(show_id=show.pk, to=Show.Status.SCHEDULED, seen=typed["seen"])
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    page.log_change(request, show, [{"changed": {"fields": [str(Show._meta.get_field("status").verbose_name)]}}])
    messages.success(request, _("“%(show)s” is on sale: %(when)s") % {"show": show.title, "when": _when(show)})
    return HttpResponseRedirect(address_of_show(show))


def _go_on(page: admin.ModelAdmin, request: HttpRequest, show: Show, typed: dict[str, Any]) -> HttpResponse:
    try:
        go_on_and_tell(show_id=show.pk, by=request.user.get_username(), **typed)
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    words = _("“%(show)s” is on sale: %(when)s") % {"show": show.title, "when": _when(show)}
    say_done(request, words, kind=show_goes_on.KIND)
    return HttpResponseRedirect(address_of_show(show))


def _told(show: Show) -> list[str]:
    """Whom a mail reaches; empty where nobody has tickets."""
    told = count_told_of_postponing(show)
    if not told:
        return []
    words = ngettext(
        "Who was told that it is postponed is told by mail that it takes place after all: %(n)d order.",
        "Who was told that it is postponed is told by mail that it takes place after all: %(n)d orders.",
        told,
    )
    return [words % {"n": told}]


def _when(show: Show) -> str:
    about = {
        "opens": in_venue_time(instant=show.on_sale_at, zone=show.venue.zone),
        "starts": in_venue_time(instant=show.starts_at, zone=show.venue.zone),
    }
    now = database_now()
    if show.starts_at <= now:
        return _("It has begun (%(starts)s), so nobody can buy.") % about
    if show.on_sale_at > now:
        return _("It sells from %(opens)s until it begins, %(starts)s.") % about
    return _("It sells at once, until it begins, %(starts)s.") % about


def _prices(show: Show) -> Sequence[str]:
    """What the seats cost, and a sentence of its own about what costs nothing."""
    tiers = list(PriceTier.objects.filter(show=show).select_related("show").order_by("position"))
    gratis = [tier.name for tier in tiers if not tier.price]
    if len(gratis) == len(tiers):
        return [_("No price is set: every seat is free of charge.")]
    told = [
        _("Prices: %(prices)s.") % {"prices": "; ".join(f"{each.name} {each.money}" for each in tiers if each.price)}
    ]
    if gratis:
        told.append(_("Free of charge: %(names)s.") % {"names": "; ".join(gratis)})
    return told


def _seats(show: Show) -> Sequence[str]:
    seats = Seat.objects.filter(show=show)
    aside = seats.filter(status=Seat.Status.BLOCKED).count()
    return [_("Seats: %(n)d, of these put aside: %(aside)d.") % {"n": seats.count(), "aside": aside}]
