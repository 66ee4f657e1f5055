"""Who may export what: a permission for each kind, and of which shows."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from boxoffice.models import Export
from boxoffice.sales.whose_shows import shows_seen_by
from inventory.models import Show
from jobs.personal import may_see_personal_data

PERMISSIONS = {
    Export.Kind.ORDERS: "boxoffice.export_orders",
    Export.Kind.ATTENDEES: "boxoffice.export_attendees",
    Export.Kind.TAKINGS: "boxoffice.export_takings",
}

OF_FANS = (Export.Kind.ORDERS, Export.Kind.ATTENDEES)
"""Kinds whose rows name fans. They are refused whole to who may not see those: a masked list of guests helps nobody."""


def kinds_for(user: Any) -> list[Export.Kind]:
    """The kinds that this login may export, in their order."""
    return [kind for kind in Export.Kind if may_export(user, kind)]


def may_export(user: Any, kind: str) -> bool:
    """Whether this login may have a file of that kind, of some show."""
    if not user.has_perm(PERMISSIONS[Export.Kind(kind)]):
        return False
    return kind not in OF_FANS or may_see_personal_data(user)


def shows_for(user: Any, kind: str) -> QuerySet[Show] | None:
    """The shows whose rows of this kind the login may have; None for all, also those that it has not been told of.

    Takings: as on the page of sales. Orders and attendees: all for who may open every order, else his own shows.
    """
    if not may_export(user, kind):
        return Show.objects.none()
    if user.has_perm("boxoffice.view_all_takings" if kind == Export.Kind.TAKINGS else "boxoffice.view_order"):
        return None
    return shows_seen_by(user)


def may_have(user: Any, export: Export) -> bool:
    """Whether this login may have the file that was written for it, by the rights that it has now. One query at most.

    Of all shows that are in it: who lost one of them asks for a file of the others.
    """
    if export.user_id != user.pk or not may_export(user, export.kind):
        return False
    shows = shows_for(user, export.kind)
    if shows is None:
        return True
    written = export.of_shows
    return written is not None and shows.filter(pk__in=written).count() == len(set(written))
