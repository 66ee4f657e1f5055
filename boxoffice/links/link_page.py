"""One link: where it stands, its QR code, its words, and who did what to it."""

from __future__ import annotations

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from boxoffice.links.link_desk import address_of_link, link_for, refuse, render
from boxoffice.links.link_words import codes_of, how_it_does, is_page_of_show
from boxoffice.links.when_it_expires import expiry_in_words
from boxoffice.links.whose_links import SEES
from inventory.models import Show
from jobs.clock import database_now
from snip.links.change_aliases import add_alias, retire_alias
from snip.links.edit_link import changes_in_words
from snip.links.errors import LinkError
from snip.links.short_address import printed_address, short_address
from snip.models import Link, LinkAction
from snip.scan.refusals import in_words

LAST_ACTIONS = 50
"""On a link's page; all of them stand in *Who did what*."""


def link_page(page: admin.ModelAdmin, request: HttpRequest, link_id: int) -> HttpResponse:
    """What there is to know about the link, and what this login may do to it."""
    link = link_for(request, link_id=link_id, permission=SEES)
    now = database_now()
    codes = codes_of(link)
    show = Show.objects.select_related("venue").filter(pk=link.show_id or 0).first()
    is_open = link.state not in (Link.State.BLOCKED, Link.State.DELETED)
    may = request.user.has_perm
    return render(
        page,
        request,
        "link.html",
        title=printed_address(codes[0]),
        link=link,
        doing=how_it_does(link, now=now),
        refusal=in_words(link.refusal),
        now=now,
        names=[(code, short_address(code), printed_address(code)) for code in codes],
        aliases=[code.code for code in link.codes.all() if code.is_alias and code.retired_at is None],
        show=show,
        leads_elsewhere=show is not None and not is_page_of_show(link),
        expires=expiry_in_words(link.expires_at, show=show),
        is_qr_offered=link.state != Link.State.DELETED,
        may_change=is_open and may("snip.change_link"),
        may_block=is_open and may("snip.block_link"),
        may_unblock=link.state == Link.State.BLOCKED and may("snip.block_link"),
        may_delete=link.state != Link.State.DELETED and may("snip.delete_link"),
        clicks_url=_clicks_url(request, link),
        trail=_trail(link),
    )


def aliases_page(page: admin.ModelAdmin, request: HttpRequest, link_id: int) -> HttpResponse:
    """Add the word ``add``, or retire the word ``retire`` (POST); then back to the link's page."""
    link = link_for(request, link_id=link_id, permission="snip.change_link")
    back, by = address_of_link(link.pk), request.user.get_username()
    if request.method != "POST":
        return HttpResponseRedirect(back)
    try:
        if "retire" in request.POST:
            retire_alias(link_id=link.pk, code=request.POST["retire"], by=by)
            messages.success(request, _("The word is retired: it leads nowhere any more."))
        else:
            word = add_alias(link_id=link.pk, alias=request.POST.get("add", ""), by=by)
            messages.success(request, _("%(address)s leads there too now.") % {"address": printed_address(word)})
    except LinkError as refusal:
        return refuse(request, refusal, to=back)
    return HttpResponseRedirect(back)


def _trail(link: Link) -> list[tuple[LinkAction, str]]:
    """The last actions, with what each was about in the reader's language."""
    last = LinkAction.objects.filter(link_id=link.pk).order_by("-pk")[:LAST_ACTIONS]
    return [(each, changes_in_words(each.what) if each.action == each.Action.EDIT else each.what) for each in last]


def _clicks_url(request: HttpRequest, link: Link) -> str:
    """The page of clicks, of this link; empty for who may not see it."""
    if not request.user.has_perm("snip.view_clickday"):
        return ""
    try:
        return f"{reverse('admin:snip_clickday_changelist')}?link={link.pk}"
    except NoReverseMatch:
        return ""
