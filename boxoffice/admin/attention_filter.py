"""Orders that a human must look at, as a filter of their list: those behind the items of ``boxoffice/attention/``."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from boxoffice.attention.find_items import MOST_DEAD, has_more_dead_jobs, orders_in_need
from boxoffice.models import Order

NEEDED = "needed"


class AttentionFilter(admin.SimpleListFilter):
    """Orders that a human must look at."""

    title = _("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        if NEEDED in request.GET.getlist(self.parameter_name) and has_more_dead_jobs():
            newest = gettext("Needs a human (of dead jobs, the newest %(n)s)") % {
                "n": number_format(MOST_DEAD, force_grouping=True)
            }
            return [(NEEDED, newest)]
        return [(NEEDED, _("Needs a human"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Order]) -> QuerySet[Order]:
        if self.value() != NEEDED:
            return queryset
        statement, values = orders_in_need()
        return queryset.filter(pk__in=RawSQL(statement, values))  # noqa: S611  (constants, with parameters)
