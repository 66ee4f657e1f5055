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
from boxoffice.shows.holders import count_holders
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for
from inventory.errors import InventoryError, TransitionRefused
from inventory.models import Show
from inventory.move_show import check_move
from inventory.venue_time import in_venue_time, place_of
from inventory.within_the_calendar import require_within_the_calendar
from jobs.admin.reason_form import ReasonForm
from jobs.destinations import destination_named
from jobs.errors import JobsError
from jobs.spans import span_in_words
from tickets.models import Ticket

PERMISSION = "boxoffice.move_show"

_TYPED = "%Y-%m-%dT%H:%M"
"""As browsers send the moment that was picked; without a zone, which is the venue's."""


def _moment(**given: Any) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_TYPED)
    return forms.DateTimeField(
        input_formats=[_TYPED, f"{_TYPED}:%S"], widget=widget, validators=[require_within_the_calendar], **given
    )


class WhenForm(forms.Form):
    """When the show is to be, in the venue's time."""

    starts = _moment(label=gettext_lazy("New start"))
    doors = _moment(
        label=gettext_lazy("Doors open"),
        required=False,
        help_text=gettext_lazy("Left empty, as long before the start as they were to."),
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


def can_be_moved(show: Show) -> bool:
    """Whether it will take place, now or at a time that is still to be said."""
    return show.status in (Show.Status.SCHEDULED, Show.Status.POSTPONED)


def move_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Choose (GET), ask (GET with ``starts``), or move and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_moved(show):
        return refuse(request, TransitionRefused(), to=address_of_show(show))
    typed = request.POST if request.method == "POST" else request.GET
    with timezone.override(show.venue.zone):
        form = WhenForm(typed if "starts" in typed else None, initial=_as_it_is(show))
        fits = form.is_valid()
    if request.method == "POST" and fits:
        return _move(page, request, show, form)
    if fits:
        try:
            return _ask(page, request, show, form, ReasonForm())
        except InventoryError as refusal:
            form.add_error("starts", str(refusal))
    form.fields["starts"].help_text = _("%(place)s time, where the venue is.") % {"place": place_of(show.venue.zone)}
    title = _("Move “%(show)s” to when?") % {"show": show.title}
    return ask(page, request, show, title=title, button=_("Go on…"), form=form, template="choose.html")


def _as_it_is(show: Show) -> dict[str, Any]:
    return {"starts": show.starts_at_local.replace(tzinfo=None), "seen": show.version}


def _ask(page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhenForm, reason: ReasonForm) -> HttpResponse:
    """Raises what speaks against it by now."""
    new = form.cleaned_data["starts"]
    doors = check_move(show=show, starts_at=new, doors_at=form.cleaned_data["doors"])
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
            *_holders(show),
            _("Who was reminded is reminded again, 24 hours before the new start."),
            _("No money moves. Who cannot come is refunded from the order’s page."),
        ],
        hidden=[(name, form[name].data or "") for name in ("starts", "doors", "seen")],
    )


def _sale(show: Show) -> list[str]:
    if show.status == Show.Status.POSTPONED:
        return [_("It is scheduled again, and sells until the new start.")]
    return [_("It sells until the new start.")]


def _holders(show: Show) -> list[str]:
    """Whom it concerns, and how long it takes until the last one knows."""
    holders = count_holders(show)
    told, silent = holders.with_address, holders.without
    tickets = Ticket.objects.filter(show=show).exclude(status=Ticket.Status.VOID).count()
    if not told and not silent:
        return [_("Nobody has tickets, so nobody is written to.")]
    words = [
        ngettext(
            "%(n)d ticket stays valid, whatever date is on it. Its file is made anew.",
            "%(n)d tickets stay valid, whatever date is on them. Their files are made anew.",
            tickets,
        )
        % {"n": tickets},
        ngettext(
            "%(n)d order is told by mail, with an entry that moves the show in the calendar%(span)s.",
            "%(n)d orders are told by mail, with an entry that moves the show in the calendar%(span)s.",
            told,
        )
        % {"n": told, "span": _how_long(told)},
    ]
    if silent:
        without = ngettext(
            "%(n)d order has no address: nobody can be written to about it.",
            "%(n)d orders have no address: nobody can be written to about them.",
            silent,
        )
        words.append(without % {"n": silent})
    return words


def _how_long(mails: int) -> str:
    mail = destination_named("mail")
    if mail is None or not mail.rate_per_second:
        return ""
    span = span_in_words(max(1, round(mails / mail.rate_per_second)))
    return _("; at the mail provider’s rate that takes about %(span)s") % {"span": span}


def _move(page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhenForm) -> HttpResponse:
    reason = ReasonForm(request.POST)
    new: datetime = form.cleaned_data["starts"]
    try:
        if not reason.is_valid():
            return _ask(page, request, show, form, reason)
        move_and_tell(
            show_id=show.pk,
            seen=form.cleaned_data["seen"],
            starts_at=new,
            doors_at=form.cleaned_data["doors"],
            by=request.user.get_username(),
            reason=reason.cleaned_data["reason"],
        )
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    words = _("It starts %(after)s now.") % {"after": _in_full(show, new)}
    told = _("See whom it is told")
    where = f"{reverse('admin:notifications_notification_changelist')}?kind={show_moved.KIND}"
    if request.user.has_perm("notifications.view_notification"):
        messages.success(request, format_html('{} <a href="{}">{}</a>', words, where, told))
    else:
        messages.success(request, words)
    return HttpResponseRedirect(address_of_show(show))


def _in_full(show: Show, instant: datetime) -> str:
    return in_venue_time(instant=instant, zone=show.venue.zone)
