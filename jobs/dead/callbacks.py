"""What a task declares about the end of its jobs: ``on_dead``, and its inverse ``on_replay``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery import current_app
from django.utils.module_loading import import_string


def registered(task: str) -> Any:
    """The task of this name as this process knows it, or None.

    A web process or a command imports the tasks only when it needs them.
    """
    if task not in current_app.tasks:
        current_app.autodiscover_tasks(force=True)
    return current_app.tasks.get(task)


def callback_of(task: str, *, option: str) -> Callable[..., Any] | None:
    """The function that the task's ``option`` (``on_dead``, ``on_replay``) names, or None. Raises ImportError."""
    path = getattr(registered(task), option, None)
    return import_string(path) if isinstance(path, str) else path
