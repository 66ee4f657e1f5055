"""Lists that strangers cannot break, rows of the machinery that nobody edits, and instants to the second."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, UTC, date, datetime
from typing import Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString


class SturdyAdmin(admin.ModelAdmin):
    """Takes what strangers write into an address or a form for what it is."""

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *where: Any) -> HttpResponse | None:
        """Only what is a number was ticked in the list: Django fails over anything else."""
        typed = request.POST.copy()
        ticked = typed.getlist(ACTION_CHECKBOX_NAME)
        typed.setlist(ACTION_CHECKBOX_NAME, [each for each in ticked if each.isdecimal() and len(each) < 19])
        request.POST = typed  # type: ignore[assignment]
        return super().response_action(request, queryset, *where)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """What the list's own filters ask, and its days. Django lets anybody ask anything of any column of the row.

        That would tell what no page shows, a name or a secret, letter by letter; and most garbage fails.
        """
        day = self.date_hierarchy
        if day and lookup in {f"{day}__{part}" for part in _PARTS_OF_A_DAY}:
            return _is_day(request, day)
        for each in self.get_list_filter(request):
            offered = getattr(each, "parameter_name", each[0] if isinstance(each, tuple) else each)
            if isinstance(offered, str) and lookup.startswith(offered):
                how = lookup.removeprefix(offered)
                if how in _ASKED_BY_FILTERS:
                    return True
        return False


_ASKED_BY_FILTERS = ("", "__exact", "__isnull", "__id__exact", "__gte", "__lt")
"""What Django's filters of a column append to its name."""

_PARTS_OF_A_DAY = ("year", "month", "day")


def _is_day(request: HttpRequest, column: str) -> bool:
    """Whether the parts that were asked for are of some day; Django fails over the 31st of June."""
    year, month, day = (request.GET.get(f"{column}__{part}", "") for part in _PARTS_OF_A_DAY)
    try:
        return MINYEAR < date(int(year or 2000), int(month or 1), int(day or 1)).year < MAXYEAR
    except (ValueError, OverflowError):
        return False


class ReadOnlyAdmin(SturdyAdmin):
    """Shows rows and changes none."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def in_utc(moment: datetime) -> SafeString:
    """The instant as logs have it: UTC, to the second."""
    return format_html('<span class="nowrap">{}</span>', f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}")
