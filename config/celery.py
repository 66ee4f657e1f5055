"""Celery, the conveyor: it carries job ids from the relay to the workers and decides nothing."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any

# A stop that is sent to a worker's whole process group must not end its children in the middle of their jobs: with
# this they ignore SIGTERM, and the main process, the only one that listens to it, ends them by SIGQUIT (rule 19).
os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery


class LedgerCelery(Celery):
    """Celery with the ledger's worker."""

    @cached_property
    def Worker(self) -> Any:  # noqa: N802  (the name is Celery's)
        """What ``celery worker`` runs; imported only by workers."""
        return self.subclass_with_self("jobs.worker.worker:LedgerWorker")


app = LedgerCelery("boxoffice", task_cls="jobs.worker.task:LedgerTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
