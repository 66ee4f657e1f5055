"""The page on which staff postpone a show: first what is known, then it asks once, telling whom a mail will reach.

Where the new time is known, postponing is moving: what was typed goes on to that page's question.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.exports.whose import may_export
from boxoffice.messages import show_postponed
from boxoffice.models import Export
from boxoffice.shows.errors import OfferRefused
from boxoffice.shows.holders import count_holders
from boxoffice.shows.move_page import PERMISSION, say_done
from boxoffice.shows.offer_refunds import check_until
from boxoffice.shows.postpone_show import postpone_and_tell
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for, why_not
from boxoffice.shows.telling_words import money_back_in_words, suppressed_in_words, who_is_told
from boxoffice.shows.typed_moment import moment_field, money_back_field
from inventory.models import Show
from inventory.venue_time import place_of
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now
from jobs.errors import JobsError

TIME_TO_DECIDE = timedelta(days=14)
"""What the page suggests: as long as most people need to read a mail and to ask who comes along."""


class WhatIsKnownForm(forms.Form):
    """The new time, if there is one, and until when money is given back on request."""

    starts = moment_field(
        label=gettext_lazy("New start, if it is known"),
        required=False,
        help_text=gettext_lazy("Left empty, the mail says that the new date is not known yet."),
    )
    refund_until = money_back_field(
        label=gettext_lazy("Money back on request until"),
        help_text=gettext_lazy(
            "Until then, whoever has tickets by now can give them back on the order’s page. Left empty, staff refund "
            "who asks."
        ),
    )
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


def can_be_postponed(show: Show) -> bool:
    """Whether it is announced for a time."""
    return show.status == Show.Status.SCHEDULED


def postpone_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Choose (GET), ask (GET with ``seen``), or postpone it and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_postponed(show):
        return refuse(request, why_not(show), to=address_of_show(show))
    typed = request.POST if request.method == "POST" else request.GET
    with timezone.override(show.venue.zone):
        form = WhatIsKnownForm(typed if "seen" in typed else None, initial=_suggested(show))
        fits = form.is_valid()
    if fits and form.cleaned_data["starts"] is not None:
        return _move_instead(show, form)
    if fits:
        try:
            return _ask_or_do(page, request, show, form)
        except OfferRefused as refusal:
            form.add_error("refund_until", str(refusal))
    place = _("%(place)s time, where the venue is.") % {"place": place_of(show.venue.zone)}
    return ask(
        page,
        request,
        show,
        title=_("Postpone “%(show)s”?") % {"show": show.title},
        button=_("Go on…"),
        form=form,
        template="choose.html",
        effects=[_("Nothing is done yet: the next page tells whom a mail reaches, and asks."), place],
    )


def _suggested(show: Show) -> dict[str, Any]:
    """Until the end of a day, at the venue."""
    day = (database_now() + TIME_TO_DECIDE).astimezone(show.venue.zone)
    return {"refund_until": day.replace(hour=23, minute=59, tzinfo=None), "seen": show.version}


def _move_instead(show: Show, form: WhatIsKnownForm) -> HttpResponse:
    typed = {name: form[name].data or "" for name in ("starts", "refund_until", "seen")}
    return HttpResponseRedirect(f"{reverse('admin:inventory_show_move', args=[show.pk])}?{urlencode(typed)}")


def _ask_or_do(page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhatIsKnownForm) -> HttpResponse:
    """Raises OfferRefused."""
    until = form.cleaned_data["refund_until"]
    if until is not None:
        check_until(until=until, starts_at=None)
    reason = ReasonForm(request.POST if request.method == "POST" else None)
    if not reason.is_valid():
        return _ask(page, request, show, form, reason)
    try:
        postpone_and_tell(
            show_id=show.pk,
            seen=form.cleaned_data["seen"],
            refund_until=until,
            by=request.user.get_username(),
            reason=reason.cleaned_data["reason"],
        )
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    say_done(request, _("The show is postponed."), kind=show_postponed.KIND)
    return HttpResponseRedirect(address_of_show(show))


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, show: Show, form: WhatIsKnownForm, reason: ReasonForm
) -> HttpResponse:
    holders = count_holders(show)
    return ask(
        page,
        request,
        show,
        title=_("Postpone “%(show)s” to a time that is not known yet?") % {"show": show.title},
        button=_("Postpone and tell everybody") if holders.all else _("Postpone"),
        form=reason,
        effects=[
            _("The sale stops until the show is moved or put on sale again. Nobody is let in meanwhile."),
            *who_is_told(holders),
            _("Nobody is reminded of the show as long as it is postponed."),
            _("Tickets stay valid for the new time. Move the show to it as soon as it is known: that tells everybody."),
            money_back_in_words(show, form.cleaned_data["refund_until"]),
        ],
        template="postpone.html",
        hidden=[(name, form[name].data or "") for name in ("starts", "refund_until", "seen")],
        attendees_url=attendees_address(request, show) if holders.unreached else "",
    )


def postponed_in_words(show: Show) -> str:
    """For a show that is postponed: whom a mail tells, and what tells the new time. Empty for another one, and where
    nobody has tickets. Three queries.
    """
    if show.status != Show.Status.POSTPONED or not (holders := count_holders(show)).all:
        return ""
    words = ngettext(
        "Postponed: %(n)d order has tickets. Moving the show to its new time tells that by mail.",
        "Postponed: %(n)d orders have tickets. Moving the show to its new time tells that by mail.",
        holders.all,
    ) % {"n": holders.all}
    if holders.without:
        silent = ngettext(
            "%(n)d of them has no address, and knows nothing of it.",
            "%(n)d of them have no address, and know nothing of it.",
            holders.without,
        )
        words = f"{words} {silent % {'n': holders.without}}"
    return f"{words} {suppressed_in_words(holders.suppressed)}" if holders.suppressed else words


def attendees_address(request: HttpRequest, show: Show) -> str:
    """Where this login exports whom to ring or to write to by hand; empty where it may not."""
    if not request.user.has_perm("boxoffice.view_export") or not may_export(request.user, Export.Kind.ATTENDEES):
        return ""
    query = urlencode({"kind": Export.Kind.ATTENDEES.value, "show": show.pk})
    return f"{reverse('admin:boxoffice_export_changelist')}?{query}"
