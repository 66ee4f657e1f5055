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
