"""Orders whose payment was disputed, as a filter of their list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from boxoffice.disputes.standing import INQUIRIES, LOST, OPEN
from boxoffice.models import Dispute, Order

_STATES = {"open": (*INQUIRIES, *OPEN), "won": (Dispute.Status.WON, Dispute.Status.WARNING_CLOSED), "lost": LOST}


class DisputeFilter(admin.SimpleListFilter):
    """Of few orders, which are found from the disputes' side."""

    title = _("dispute")
    parameter_name = "dispute"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        if not request.user.has_perm("boxoffice.view_dispute"):
            return []
        return [("open", _("Open")), ("won", _("Won or closed")), ("lost", _("Lost"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Order]) -> QuerySet[Order]:
        states = _STATES.get(self.value() or "")
        if states is None:
            return queryset
        return queryset.filter(pk__in=Dispute.objects.filter(status__in=states).values("payment__order_id"))
