"""Orders that a human must look at, as a filter of their list: those behind the items of ``boxoffice/attention/``."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from boxoffice.attention.find_items import orders_in_need
from boxoffice.models import Order


class AttentionFilter(admin.SimpleListFilter):
    """Orders that a human must look at."""

    title = _("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("needed", _("Needs a human"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Order]) -> QuerySet[Order]:
        if self.value() != "needed":
            return queryset
        statement, values = orders_in_need()
        return queryset.filter(pk__in=RawSQL(statement, values))  # noqa: S611  (constants, with parameters)
