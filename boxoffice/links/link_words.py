"""A link in words: how it is doing, under which names, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from inventory.models import Show
from snip.models import Link

_MARKS = {"scanning": "running", "live": "good", "refused": "bad", "blocked": "warn", "deleted": "plain"}


@dataclass(frozen=True)
class Doing:
    """How a link is doing. words: two or three of them. mark: of the chip. told: what that means, in a sentence."""

    words: str
    mark: str
    told: str


def how_it_does(link: Link, *, now: datetime) -> Doing:
    """Pure."""
    words, told = link.get_state_display(), _TOLD[link.state]()
    if link.state == Link.State.LIVE and link.expires_at is not None and link.expires_at <= now:
        return Doing(pgettext("link", "expired"), "plain", _("It leads nowhere any more: its time is over."))
    waits = link.state in (Link.State.SCANNING, Link.State.REFUSED)
    if waits and link.served_target not in ("", link.target):
        told = f"{told} {_('Until a new one has passed, it leads where it led before.')}"
    return Doing(words, _MARKS[link.state], told)


_TOLD = {
    "scanning": lambda: _("Its target is being checked, which takes some seconds."),
    "live": lambda: _("It leads to its target."),
    "refused": lambda: _("Its target did not pass the check. Change it, or save it as it is to have it checked again."),
    "blocked": lambda: _("Staff have blocked it: it leads nowhere."),
    "deleted": lambda: _("It was deleted and leads nowhere. Its codes are nobody’s any more."),
}


def codes_of(link: Link) -> list[str]:
    """The words that were chosen and still lead there, then the code that was drawn. Uses ``codes`` if prefetched."""
    codes = [code for code in link.codes.all() if code.retired_at is None or link.state == Link.State.DELETED]
    return [code.code for code in sorted(codes, key=lambda code: (not code.is_alias, code.created_at, code.code))]


def address_of_show_page(show: Show) -> str:
    """Where fans find the show: what a link to it leads to."""
    return f"{settings.PUBLIC_URL}{reverse('show', args=[show.slug])}"


def is_page_of_show(link: Link) -> bool:
    """Whether the link is of a show and leads to its page."""
    show = Show.objects.filter(pk=link.show_id or 0).first()
    return show is not None and link.target == address_of_show_page(show)
