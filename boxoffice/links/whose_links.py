"""Whose links somebody may see and change, and to which shows he may make some."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from inventory.models import Show
from snip.models import Link

SEES = "snip.view_link"
SEES_ALL = "snip.view_all_links"


def links_seen_by(user: Any) -> QuerySet[Link]:
    """The links of this login: none without ``view_link``, those that he owns with it, all with ``view_all_links``."""
    if not user.has_perm(SEES):
        return Link.objects.none()
    if user.has_perm(SEES_ALL):
        return Link.objects.all()
    return Link.objects.filter(owner=user)


def shows_to_link(user: Any) -> QuerySet[Show]:
    """The shows that this login may make links to by their name: a promoter those that he promotes."""
    if not user.has_perm("inventory.view_show"):
        return Show.objects.none()
    shows = Show.objects.exclude(status=Show.Status.DRAFT)
    return shows if user.has_perm(SEES_ALL) else shows.filter(promotions__promoter=user)


def can_be_linked(show: Show, *, by: Any) -> bool:
    """Whether this login may make a link to the show by its name. One query at most."""
    return by.has_perm("snip.add_link") and shows_to_link(by).filter(pk=show.pk).exists()
