"""The page on which staff postpone a show: it says plainly that nobody is told, and leads to what does tell."""

from __future__ import annotations

from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.exports.whose import may_export
from boxoffice.models import Export
from boxoffice.shows.holders import Holders, count_holders
from boxoffice.shows.move_page import PERMISSION
from boxoffice.shows.postpone_show import postpone_show
from boxoffice.shows.show_desk import address_of_show, ask, refuse, show_for
from inventory.errors import TransitionRefused
from inventory.models import Show
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError


class PostponeForm(ReasonForm):
    """Why. seen: the show's version when the page was made."""

    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput)


def can_be_postponed(show: Show) -> bool:
    """Whether it is announced for a time."""
    return show.status == Show.Status.SCHEDULED


def postpone_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """Ask (GET), or postpone it and say so (POST)."""
    show = show_for(request, show_id=show_id, permission=PERMISSION)
    if not can_be_postponed(show):
        return refuse(request, TransitionRefused(), to=address_of_show(show))
    form = PostponeForm(request.POST if request.method == "POST" else None, initial={"seen": show.version})
    holders = count_holders(show)
    if not form.is_valid():
        return _ask(page, request, show, form, holders)
    try:
        postpone_show(show_id=show.pk, by=request.user.get_username(), **form.cleaned_data)
    except JobsError as refusal:
        return refuse(request, refusal, to=address_of_show(show))
    words = _("The show is postponed, and nobody was told.") if holders.all else _("The show is postponed.")
    move = reverse("admin:inventory_show_move", args=[show.pk])
    link = format_html('{} <a href="{}">{}</a>', words, move, _("Move it to its new time…"))
    (messages.warning if holders.all else messages.success)(request, link)
    return HttpResponseRedirect(address_of_show(show))


def not_told_in_words(holders: Holders) -> str:
    """How many know nothing of it; empty for nobody."""
    words = ngettext(
        "%(n)d order has tickets, and nobody is told of it by this.",
        "%(n)d orders have tickets, and nobody is told of it by this.",
        holders.all,
    )
    return words % {"n": holders.all} if holders.all else ""


def not_told_since_in_words(show: Show) -> str:
    """For a show that is postponed: whom nobody has told. Empty for another one, and where nobody has tickets."""
    if show.status != Show.Status.POSTPONED or not (count := count_holders(show).all):
        return ""
    words = ngettext(
        "Postponed: %(n)d order has tickets, and no mail has told of it. Moving the show to its new time does.",
        "Postponed: %(n)d orders have tickets, and no mail has told of it. Moving the show to its new time does.",
        count,
    )
    return words % {"n": count}


def attendees_address(request: HttpRequest, show: Show) -> str:
    """Where this login exports whom to ring or to write to by hand; empty where it may not."""
    if not request.user.has_perm("boxoffice.view_export") or not may_export(request.user, Export.Kind.ATTENDEES):
        return ""
    query = urlencode({"kind": Export.Kind.ATTENDEES.value, "show": show.pk})
    return f"{reverse('admin:boxoffice_export_changelist')}?{query}"


def _ask(
    page: admin.ModelAdmin, request: HttpRequest, show: Show, form: PostponeForm, holders: Holders
) -> HttpResponse:
    return ask(
        page,
        request,
        show,
        title=_("Postpone “%(show)s”?") % {"show": show.title},
        button=_("Postpone and tell nobody") if holders.all else _("Postpone"),
        form=form,
        effects=[
            _("The sale stops until the show is moved or put on sale again. Nobody is let in meanwhile."),
            not_told_in_words(holders) or _("Nobody has tickets."),
            _("Nobody is reminded of the show as long as it is postponed."),
            _("Tickets stay valid, and no money moves."),
        ],
        template="postpone.html",
        move_url=reverse("admin:inventory_show_move", args=[show.pk]),
        attendees_url=attendees_address(request, show) if holders.all else "",
        has_holders=bool(holders.all),
    )
