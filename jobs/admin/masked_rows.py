"""Read-only lists and pages whose rows hold fans' names and addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from jobs.admin.read_only import ReadOnlyAdmin, SturdyAdmin
from jobs.personal import may_see_personal_data


class MaskedChangeList(ChangeList):
    """Puts rows into no order by what is masked: between two rows of known names, a place tells the letters."""

    def __init__(self, request: HttpRequest, *given: Any, **named: Any) -> None:
        self._sees_all = may_see_personal_data(request.user)
        super().__init__(request, *given, **named)

    def get_ordering_field(self, field_name: Any) -> Any:
        column = super().get_ordering_field(field_name)
        return None if not self._sees_all and column in self.model_admin.personal else column  # type: ignore[attr-defined]


class MaskedListAdmin(SturdyAdmin):
    """Masks what ``personal`` names, on the list, for users who may not see it.

    The rows in hand are masked, so that links, titles and whatever else speaks of them are. Nothing saves such a row.
    personal: how each field is masked. Such a user finds a row by the whole of a field in ``found_whole``, and not by a
    part of it: letter by letter, a search would tell what the page does not. Nor would he sort by it.
    """

    personal: Mapping[str, Callable[[Any], Any]] = {}
    found_whole: tuple[str, ...] = ()

    def get_changelist(self, request: HttpRequest, **named: Any) -> type[ChangeList]:
        return MaskedChangeList

    def get_sortable_by(self, request: HttpRequest) -> list[Any]:
        columns = list(super().get_sortable_by(request))
        if may_see_personal_data(request.user):
            return columns
        return [each for each in columns if self._sorted_by(each) not in self.personal]

    def _sorted_by(self, column: Any) -> Any:
        return getattr(getattr(self, str(column), None), "admin_order_field", column)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        changelist = super().get_changelist_instance(request)
        changelist.result_list = [self.as_shown(request, row) for row in changelist.result_list]
        return changelist

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        fields = list(super().get_search_fields(request))
        if may_see_personal_data(request.user):
            return fields
        return [field for field in fields if field not in self.found_whole]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        whole = " ".join(search_term.split())
        if whole and not may_see_personal_data(request.user):
            if not self.get_search_fields(request):  # Django finds everything by nothing
                found = queryset.none()
            for field in self.found_whole:
                found |= queryset.filter(Q((f"{field}__iexact", whole)))
        return found, may_repeat

    def as_shown(self, request: HttpRequest, row: Any) -> Any:
        """The row as this user may see it."""
        if not may_see_personal_data(request.user):
            for field, mask in self.personal.items():
                setattr(row, field, mask(getattr(row, field)))
        return row


class MaskedRowsAdmin(MaskedListAdmin, ReadOnlyAdmin):
    """The same on the rows' pages."""

    def get_object(self, request: HttpRequest, *given: Any, **named: Any) -> Any:
        row = super().get_object(request, *given, **named)
        return self.as_shown(request, row) if row is not None else None
