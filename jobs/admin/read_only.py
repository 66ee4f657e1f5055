"""Lists that strangers cannot break, rows of the machinery that nobody edits, and instants to the second."""

from __future__ import annotations

from datetime import UTC, datetime
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
        """What the list's own filters ask. Django allows any lookup of any column, and fails over most garbage."""
        offered = {getattr(each, "parameter_name", each) for each in self.get_list_filter(request)}
        field, _, how = lookup.partition("__")
        return field in offered and how in ("", "exact", "isnull")


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
