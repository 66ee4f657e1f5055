"""The pages that ask once before a link is blocked, let live again, or deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from boxoffice.links.link_desk import address_of_link, link_for, refuse, render
from boxoffice.links.link_words import codes_of
from jobs.admin.reason_form import ReasonForm
from snip.links.block_link import block_link, unblock_link
from snip.links.delete_link import delete_link
from snip.links.errors import LinkError
from snip.links.short_address import printed_address


@dataclass(frozen=True)
class Verb:
    """title, effects, button: as the page asks. done: what it says afterwards."""

    permission: str
    title: str | Promise
    effects: tuple[str | Promise, ...]
    button: str | Promise
    done: str | Promise
    act: Callable[..., int]


BLOCK = Verb(
    permission="snip.block_link",
    title=_("Block %(link)s?"),
    effects=(
        _("Whoever follows it is told that it leads nowhere any more. Redirects notice within 20 seconds."),
        _("Its owner sees that staff have blocked it, and cannot change it."),
        _("It can be let live again."),
    ),
    button=_("Block the link"),
    done=_("The link is blocked."),
    act=block_link,
)
UNBLOCK = Verb(
    permission="snip.block_link",
    title=_("Let %(link)s live again?"),
    effects=(_("It leads to its target again; one that has not passed the check yet is checked first."),),
    button=_("Lift the block"),
    done=_("The block is lifted."),
    act=unblock_link,
)
DELETE = Verb(
    permission="snip.delete_link",
    title=_("Delete %(link)s for ever?"),
    effects=(
        _("Whoever follows it, from a poster or a mail, is told that it leads nowhere any more."),
        _("Its code and its words are retired: no link ever gets them again, this one neither."),
        _("Its clicks stay counted. There is no way back."),
    ),
    button=_("Delete the link"),
    done=_("The link is deleted."),
    act=delete_link,
)


def verb_page(page: admin.ModelAdmin, request: HttpRequest, link_id: int, *, verb: Verb) -> HttpResponse:
    """Ask (GET), or do it and go back to the link's page (POST)."""
    link = link_for(request, link_id=link_id, permission=verb.permission)
    back = address_of_link(link.pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            verb.act(link_id=link.pk, by=request.user.get_username(), reason=form.cleaned_data["reason"])
        except LinkError as refusal:
            return refuse(request, refusal, to=back)
        messages.success(request, str(verb.done))
        return HttpResponseRedirect(back)
    name = printed_address(codes_of(link)[0])
    return render(
        page,
        request,
        "ask.html",
        title=str(verb.title) % {"link": name},
        link=link,
        effects=verb.effects,
        button=verb.button,
        form=form,
        back_url=back,
    )
