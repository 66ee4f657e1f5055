"""The page on which staff put a show on sale. It says from when, what the seats cost, and what is free of charge."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for
from inventory.advance_show import advance_show
from inventory.errors import TransitionRefused
from inventory.models import PriceTier, Seat, Show
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from jobs.errors import JobsError

PERMISSION = "inventory.change_show"


class SeenForm(forms.Form):
    """The show as the page showed it: who has changed a price or a time meanwhile is not passed over."""

    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


def can_be_put_on_sale(show: Show) -> bool:
    """Whether there is a way to the sale from its state."""
    return show.status in (Show.Status.DRAFT, Show.Status.POSTPONED)


def sale_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or put it on sale and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_put_on_sale(show):
        return refuse(request, TransitionRefused(), to=address_of_show(show))
    form = SeenForm(request.POST or None, initial={"seen": show.version})
    if request.method == "POST" and form.is_valid():
        return _do(page, request, show, form.cleaned_data["seen"])
    return ask(
        page,
        request,
        show,
        title=_("Put “%(show)s” on sale?") % {"show": show.title},
        button=_("Put on sale"),
        form=form,
        effects=[_when(show), *_prices(show), *_seats(show)],
    )


def _do(page: admin.ModelAdmin, request: HttpRequest, show: Show, seen: int) -> HttpResponse:
    try:
        advance_show(show_id=show.pk, to=Show.Status.SCHEDULED, seen=seen)
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    page.log_change(request, show, [{"changed": {"fields": [str(Show._meta.get_field("status").verbose_name)]}}])
    messages.success(request, _("“%(show)s” is on sale: %(when)s") % {"show": show.title, "when": _when(show)})
    return HttpResponseRedirect(address_of_show(show))


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
