"""Whose clicks somebody may see: everybody's, or those on his own links."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from snip.models import Link

SEES = "snip.view_clickday"
SEES_ALL = "snip.view_all_clicks"


def links_counted_for(user: Any) -> QuerySet[Link]:
    """The links whose clicks this login may see: none without ``view_clickday``, his own with it, and all with
    ``view_all_clicks`` as well. Deleted ones too: what was clicked is still true.
    """
    if not user.has_perm(SEES):
        return Link.objects.none()
    if user.has_perm(SEES_ALL):
        return Link.objects.all()
    return Link.objects.filter(owner=user)
