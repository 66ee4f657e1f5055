"""A filter of dead jobs as JSON, so that a row can keep it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from jobs.dead.selection import Filter

_INSTANTS = ("since", "until")


def to_keep(chosen: Filter) -> dict[str, Any]:
    """The options that ask something. Pure."""
    asked = {name: value for name, value in asdict(chosen).items() if value not in (None, "", False)}
    return {name: value.isoformat() if name in _INSTANTS else value for name, value in asked.items()}


def as_kept(kept: dict[str, Any]) -> Filter:
    """The filter that ``to_keep`` wrote. Pure."""
    given: dict[str, Any] = {
        name: datetime.fromisoformat(value) if name in _INSTANTS else value for name, value in kept.items()
    }
    if "job_ids" in given:
        given["job_ids"] = tuple(given["job_ids"])
    return Filter(**given)
