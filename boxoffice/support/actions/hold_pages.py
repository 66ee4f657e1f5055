"""The pages on which staff end a hold or extend it. Each asks once, and names whose seats they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.changes.change_hold import extend_hold, release_hold
from boxoffice.changes.errors import HoldIsOver
from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order
from inventory.models import Hold, Seat
from inventory.venue_time import in_venue_time
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now

RELEASE_PERMISSION = "boxoffice.release_hold"
EXTEND_PERMISSION = "boxoffice.extend_hold"

FROM_THE_ORDER = "order"

MINUTES = (5, 10, 15, 30, 60)


class ExtendForm(ReasonForm):
    """By how much, why, and the end that the page showed."""

    minutes = forms.TypedChoiceField(
        label=gettext_lazy("Minutes more"), coerce=int, choices=[(each, str(each)) for each in MINUTES], initial=15
    )
    seen = forms.CharField(max_length=40, widget=forms.HiddenInput)
    field_order = ("minutes", "reason")


def release_page(page: admin.ModelAdmin, request: HttpRequest, hold_id: int) -> HttpResponse:
    """Ask (GET), or end the hold and say so (POST)."""
    hold = _hold(request, hold_id, permission=RELEASE_PERMISSION)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        effects = [_("On sale again at once: %(seats)s.") % {"seats": _seats(hold)}, *_who_buys(hold)]
        title = _("End hold %(id)s?") % {"id": hold.pk}
        return _ask(page, request, hold, title=title, button=_("End the hold"), form=form, effects=effects)
    try:
        done = release_hold(hold_id=hold.pk, by=request.user.get_username(), **form.cleaned_data)
    except BoxOfficeError as refusal:
        messages.error(request, str(refusal))
    else:
        words = ngettext("%(n)d seat is on sale again.", "%(n)d seats are on sale again.", done.seats)
        messages.success(request, words % {"n": done.seats})
    return _back(request, hold)


def extend_page(page: admin.ModelAdmin, request: HttpRequest, hold_id: int) -> HttpResponse:
    """Ask (GET), or extend the hold and say so (POST)."""
    hold = _hold(request, hold_id, permission=EXTEND_PERMISSION)
    at_first = {"seen": hold.expires_at.isoformat()}
    form = ExtendForm(request.POST if request.method == "POST" else None, initial=at_first)
    if not form.is_valid():
        effects = [
            _("It keeps: %(seats)s.") % {"seats": _seats(hold)},
            _("Now until %(instant)s.") % {"instant": _in_words(hold)},
        ]
        title = _("Extend hold %(id)s by how much?") % {"id": hold.pk}
        return _ask(page, request, hold, title=title, button=_("Extend the hold"), form=form, effects=effects)
    typed = form.cleaned_data
    try:
        seen = parse_datetime(typed["seen"])
        if seen is None or seen.tzinfo is None:
            raise HoldIsOver
        extend_hold(
            hold_id=hold.pk,
            minutes=typed["minutes"],
            seen=seen,
            by=request.user.get_username(),
            reason=typed["reason"],
        )
    except (BoxOfficeError, ValueError) as refusal:
        messages.error(request, str(refusal if isinstance(refusal, BoxOfficeError) else HoldIsOver()))
    else:
        hold.refresh_from_db()
        messages.success(request, _("It lasts until %(instant)s now.") % {"instant": _in_words(hold)})
    return _back(request, hold)


def _hold(request: HttpRequest, hold_id: int, *, permission: str) -> Hold:
    if not request.user.has_perm(permission) or not request.user.has_perm("inventory.view_hold"):
        raise PermissionDenied
    hold = Hold.objects.select_related("show__venue").filter(pk=hold_id).first()
    if hold is None:
        raise Http404
    return hold


def _who_buys(hold: Hold) -> list[str]:
    order = Order.objects.filter(hold=hold).values_list("code", flat=True).first()
    if order is None:
        return [_("Nobody has begun to buy by it. Its fan reads that the seats are gone.")]
    return [
        _("Order %(code)s is being bought by it. Its payment page is closed; money that comes all the same goes back, "
          "or buys the seats if they are still free.") % {"code": order}
    ]  # fmt: skip


def _seats(hold: Hold) -> str:
    seats = Seat.objects.filter(pk__in=hold.seat_ids).select_related("tier").order_by("position")
    return "; ".join(seat.label or seat.tier.name for seat in seats)


def _in_words(hold: Hold) -> str:
    return in_venue_time(instant=hold.expires_at, zone=hold.show.venue.zone)


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, hold: Hold, *, effects: Sequence[str], **context: Any
) -> HttpResponse:
    if hold.status != Hold.Status.ACTIVE or hold.expires_at <= database_now():
        messages.error(request, str(HoldIsOver()))
        return _back(request, hold)
    shared = {**page.admin_site.each_context(request), "opts": page.opts, "media": page.media}
    about = {"hold": hold, "effects": effects, "back_url": _address(request, hold)}
    return TemplateResponse(request, "admin/inventory/hold/ask.html", {**shared, **about, **context})


def _address(request: HttpRequest, hold: Hold) -> str:
    """The hold's page, or its order's for whoever came from there."""
    if request.GET.get("from") == FROM_THE_ORDER and request.user.has_perm("boxoffice.view_order"):
        order_id = Order.objects.filter(hold=hold).values_list("pk", flat=True).first()
        if order_id is not None:
            return reverse("admin:boxoffice_order_change", args=[order_id])
    return reverse("admin:inventory_hold_change", args=[hold.pk])


def _back(request: HttpRequest, hold: Hold) -> HttpResponseRedirect:
    return HttpResponseRedirect(_address(request, hold))
