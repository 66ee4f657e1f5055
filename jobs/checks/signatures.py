"""Which arguments a function takes, and which an event brings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from typing import Any

from django.apps import apps
from django.utils.module_loading import module_has_submodule

from jobs.events import Event


def takes(function: Callable[..., object], names: Iterable[str]) -> bool:
    """Whether the function can be called with keyword arguments of exactly these names."""
    try:
        inspect.signature(function).bind(**dict.fromkeys(names))
    except TypeError:
        return False
    return True


def body_of(task: Any) -> Callable[..., object]:
    """The function that was declared as the task, without Celery's wrappers."""
    body: Callable[..., object] = getattr(task, "_orig_run", None) or task.run
    return body


def fields_of_events() -> dict[str, list[str]]:
    """The fields of every event that an installed app defines, by the event's name."""
    return {event.name(): [field.name for field in fields(event)] for event in _events()}


def hooks() -> set[str]:
    """The names of the events that need no task."""
    return {event.name() for event in _events() if event.is_hook}


def _events() -> list[type[Event]]:
    """Those of the modules ``events`` of the installed apps."""
    modules = set()
    for config in apps.get_app_configs():
        if config.module is not None and module_has_submodule(config.module, "events"):
            modules.add(import_module(f"{config.name}.events").__name__)
    return [event for event in _descendants(Event) if event.__module__ in modules]


def _descendants(parent: type[Event]) -> Iterator[type[Event]]:
    for child in parent.__subclasses__():
        yield child
        yield from _descendants(child)
