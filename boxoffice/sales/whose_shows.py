"""Whose sales somebody may see: everybody's, or those of his own shows."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from inventory.models import Show

SEES = "boxoffice.view_takings"
SEES_ALL = "boxoffice.view_all_takings"


def shows_seen_by(user: Any) -> QuerySet[Show]:
    """The shows whose sales this login may see: none without ``view_takings``, those that it is a promoter of with it,
    and all with ``view_all_takings`` as well.
    """
    if not user.has_perm(SEES):
        return Show.objects.none()
    if user.has_perm(SEES_ALL):
        return Show.objects.all()
    return Show.objects.filter(promotions__promoter=user)
