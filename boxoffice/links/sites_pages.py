"""Blocking a site, so that no link leads there, and lifting its block."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.links.link_desk import render
from inventory.venue_time import in_utc
from jobs.admin.reason_form import ReasonForm
from snip.models import BlockedSite
from snip.scan.block_list import block_site, lift_block
from snip.scan.hosts import read_host
from snip.scan.refusals import Refused, in_words

BLOCK, LIFT = "snip.add_blockedsite", "snip.delete_blockedsite"

SITES = "admin:snip_blockedsite_changelist"


class SiteForm(ReasonForm):
    """Which site, by its name or any address of it, and why."""

    host = forms.CharField(
        label=gettext_lazy("Site"),
        max_length=2000,
        widget=forms.TextInput(
            attrs={
                "class": "vTextField",
                "placeholder": "example.com",
                **dict.fromkeys(("autocomplete", "autocapitalize"), "off"),
                "spellcheck": "false",
            }
        ),
        help_text=gettext_lazy("Its name, or an address of it. The names below it are blocked with it."),
    )
    field_order = ("host", "reason")

    def clean_host(self) -> str:
        """As DNS asks for it."""
        typed = self.cleaned_data["host"].strip()
        name = typed.partition("://")[2] or typed
        for end in "/?#":
            name = name.partition(end)[0]
        try:
            return read_host(name)
        except Refused as refused:
            raise forms.ValidationError(in_words(refused.in_english())) from refused


def block_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The empty form (GET, with ``site`` for one that is known), or block it and go back to the list (POST)."""
    _require(request, BLOCK)
    initial = {"host": request.GET.get("site", "")}
    form = SiteForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        host = form.cleaned_data["host"]
        with transaction.atomic():
            again = block_site(host=host, why=form.cleaned_data["reason"], by=request.user.get_username())
        if again is None:
            messages.warning(request, _("The site %(site)s is blocked already.") % {"site": host})
        else:
            messages.success(request, _blocked(host, again))
        return HttpResponseRedirect(reverse(SITES))
    effects = [
        _("No new link leads there, nor to any name below it, nor to a page that leads on to it."),
        _("Links that lead there now are looked at again within minutes, and lead nowhere any more."),
        _("Whoever follows one of them is told so. Its owner reads that the site is blocked."),
    ]
    return _ask(page, request, form, title=_("Block a site"), effects=effects, button=_("Block the site"))


def lift_page(page: admin.ModelAdmin, request: HttpRequest, host: str) -> HttpResponse:
    """Ask (GET), or take it off the list and go back there (POST)."""
    _require(request, LIFT)
    # A NUL is in no row, and PostgreSQL takes none in a question either.
    site = BlockedSite.objects.filter(pk=host).first() if "\0" not in host else None
    if site is None:
        raise Http404
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            lift_block(host=site.host, why=form.cleaned_data["reason"], by=request.user.get_username())
        messages.success(request, _("The site %(site)s is not blocked any more.") % {"site": site.host})
        return HttpResponseRedirect(reverse(SITES))
    effects = [
        _("Links may lead to it again, after the check that every target has to pass."),
        _("Links that were refused for it stay refused until their owner saves them anew."),
    ]
    title = _("Lift the block of %(site)s?") % {"site": site.host}
    said = {"site": site, "since": in_utc(instant=site.added_at)}
    return _ask(page, request, form, title=title, effects=effects, button=_("Lift the block"), **said)


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _ask(page: admin.ModelAdmin, request: HttpRequest, form: forms.Form, **said: object) -> HttpResponse:
    return render(page, request, "ask_site.html", form=form, back_url=reverse(SITES), **said)


def _blocked(host: str, again: int) -> str:
    if not again:
        return _("The site %(site)s is blocked. No link leads there.") % {"site": host}
    words = ngettext(
        "The site %(site)s is blocked. %(n)d link that leads there is looked at again.",
        "The site %(site)s is blocked. %(n)d links that lead there are looked at again.",
        again,
    )
    return words % {"site": host, "n": again}
