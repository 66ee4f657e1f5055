"""The page on which staff move a show to another date and time.

First to when; then it asks once, telling whom a mail will reach and how long that takes; then it is done.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.messages import show_moved
from boxoffice.shows.errors import OfferRefused
from boxoffice.shows.holders import count_holders
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.offer_refunds import check_until
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for, why_not
from boxoffice.shows.telling_words import money_back_in_words, who_is_told
from boxoffice.shows.typed_moment import moment_field, money_back_field
from inventory.errors import InventoryError
from inventory.models import Show
from inventory.move_show import check_move
from inventory.venue_time import in_venue_time, place_of
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError
from tickets.models import Ticket

PERMISSION = "boxoffice.move_show"


class WhenForm(forms.Form):
    """When the show is to be, in the venue's time."""

    starts = moment_field(label=gettext_lazy("New start"))
    doors = moment_field(
        label=gettext_lazy("Doors open"),
        required=False,
        help_text=gettext_lazy("Left empty, as long before the start as they were to."),
    )
    refund_until = money_back_field(
        label=gettext_lazy("Money back on request until"),
        help_text=gettext_lazy(
            "Until then, whoever has tickets by now can give them back on the order’s page. Left empty, staff refund "
            "who asks."
        ),
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


def can_be_moved(show: Show) -> bool:
    """Whether it will take place, now or at a time that is still to be said."""
    return show.status in (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def move_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Choose (GET), ask (GET with ``starts``), or move and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_moved(show):
        return refuse(request, why_not(show), to=address_of_show(show))
    typed = request.POST if request.method == "POST" else request.GET
    with timezone.override(show.venue.zone):
        form = WhenForm(typed if "starts" in typed else None, initial=_as_it_is(show))
        fits = form.is_valid()
    if request.method == "POST" and fits:
        return _move(page, request, show, form)
    if fits:
        try:
            return _ask(page, request, show, form, ReasonForm())
        except OfferRefused as refusal:
            form.add_error("refund_until", str(refusal))
        except InventoryError as refusal:
            form.add_error("starts", str(refusal))
    form.fields["starts"].help_text = _("%(place)s time, where the venue is.") % {"place": place_of(show.venue.zone)}
    return ask(
        page,
        request,
        show,
        title=_("Move “%(show)s” to when?") % {"show": show.title},
        button=_("Go on…"),
        form=form,
        template="move.html",
        postpone_url=""
        if show.status == Show.Status.POSTPONED
        else reverse("admin:inventory_show_postpone", args=[show.pk]),
    )


def _as_it_is(show: Show) -> dict[str, Any]:
    return {"starts": show.starts_at_local.replace(tzinfo=None), "seen": show.version}


def _ask(page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhenForm, reason: ReasonForm) -> HttpResponse:
    """Raises what speaks against it by now."""
    new, until = form.cleaned_data["starts"], form.cleaned_data["refund_until"]
    doors = check_move(show=show, starts_at=new, doors_at=form.cleaned_data["doors"])
    if until is not None:
        check_until(until=until, starts_at=new)
    return ask(
        page,
        request,
        show,
        title=_("Move “%(show)s”?") % {"show": show.title},
        button=_("Move and tell everybody"),
        form=reason,
        effects=[
            _("From %(before)s to %(after)s.")
            % {"before": _in_full(show, show.starts_at), "after": _in_full(show, new)},
            _("The doors open %(doors)s.") % {"doors": _in_full(show, doors)},
            *_sale(show),
            *_tickets(show),
            *who_is_told(count_holders(show)),
            _("Who was reminded is reminded again, 24 hours before the new start."),
            money_back_in_words(show, until),
        ],
        hidden=[(name, form[name].data or "") for name in ("starts", "doors", "refund_until", "seen")],
    )


def _sale(show: Show) -> list[str]:
    if show.status == Show.Status.POSTPONED:
        return [_("It is scheduled again, and sells until the new start.")]
    return [_("It sells until the new start.")]


def _tickets(show: Show) -> list[str]:
    tickets = Ticket.objects.filter(show=show).exclude(status=Ticket.Status.VOID).count()
    if not tickets:
        return []
    words = ngettext(
        "%(n)d ticket stays valid, whatever date is on it. Its file is made anew.",
        "%(n)d tickets stay valid, whatever date is on them. Their files are made anew.",
        tickets,
    )
    return [words % {"n": tickets}]


def _move(page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhenForm) -> HttpResponse:
    reason = ReasonForm(request.POST)
    new: datetime = form.cleaned_data["starts"]
    try:
        if not reason.is_valid():
            return _ask(page, request, show, form, reason)
        move_and_tell(
            show_id=show.pk, by=request.user.get_username(), reason=reason.cleaned_data["reason"], **_when(form)
        )
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    say_done(request, _("It starts %(after)s now.") % {"after": _in_full(show, new)}, kind=show_moved.KIND)
    return HttpResponseRedirect(address_of_show(show))


def say_done(request: HttpRequest, words: str, *, kind: str) -> None:
    """What was done, with a link to the mails of this kind for who may see them."""
    if request.user.has_perm("notifications.view_notification"):
        where = f"{reverse('admin:notifications_notification_changelist')}?kind={kind}"
        words = format_html('{} <a href="{}">{}</a>', words, where, _("See whom it is told"))
    messages.success(request, words)


def _when(form: WhenForm) -> dict[str, Any]:
    names = {"starts_at": "starts", "doors_at": "doors", "refund_until": "refund_until", "seen": "seen"}
    return {argument: form.cleaned_data[field] for argument, field in names.items()}


def _in_full(show: Show, instant: datetime) -> str:
    return in_venue_time(instant=instant, zone=show.venue.zone)
