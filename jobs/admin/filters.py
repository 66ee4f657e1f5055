"""Filters by names that the tables of the installation list. Django's own would read every row to find them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from jobs.destinations import all_destinations
from jobs.models import Job
from jobs.queues import all_queues
from jobs.redact import for_eyes


class _NameFilter(admin.SimpleListFilter):
    """One column that holds a name. A name that no table lists any more is found by its address all the same."""

    def names(self) -> list[str]:
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, name) for name in self.names()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        return queryset.filter(**{str(self.parameter_name): self.value()}) if self.value() else queryset


class QueueFilter(_NameFilter):
    title = _("queue")
    parameter_name = "queue"

    def names(self) -> list[str]:
        return [queue.name for queue in all_queues()]


class TaskFilter(_NameFilter):
    title = _("task")
    parameter_name = "task"

    def names(self) -> list[str]:
        return sorted(settings.LEDGER_TASKS)


class DestinationFilter(_NameFilter):
    title = _("destination")
    parameter_name = "destination"

    def names(self) -> list[str]:
        return [destination.name for destination in all_destinations()]


class CauseFilter(_NameFilter):
    """What dead jobs died of. Only the one that was asked for is offered; the page of groups leads to each."""

    title = _("cause")
    parameter_name = "cause"

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        self._asked_for: str = (params.get("cause") or [""])[-1]
        super().__init__(request, params, model, model_admin)

    def names(self) -> list[str]:
        return [self._asked_for] if self._asked_for else []

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(name, for_eyes(name)) for name in self.names()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Job]) -> QuerySet[Job]:
        return queryset.filter(died_of=self.value()) if self.value() else queryset
