"""Celery, the conveyor: it carries job ids from the relay to the workers and decides nothing."""

from __future__ import annotations

import os

# A worker that is told to stop first lets its running jobs end (rule 19 of the engine).
os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from celery import Celery

app = Celery("boxoffice", task_cls="jobs.worker.task:LedgerTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
