"""What the push service does wrong on purpose, from the next message on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

ALL = -1
STATUSES = (307, 400, 401, 403, 404, 410, 413, 429, 500, 502, 503)


class BadKnob(ValueError):
    """A knob was turned where it does not go; the message says how far it goes."""


@dataclass(frozen=True)
class Knobs:
    """How the push service behaves; as made, it takes and delivers everything at once. A count of -1 is for all.

    latency_ms: before each answer. fail_next: messages that are not taken, and fail_status: with which answer;
    retry_after_s: what a 429 or 503 says, nothing when 0. lose_answers: messages that are taken and never answered: the
    connection ends. outage: every connection ends without an answer, and nothing is taken. offline: the browsers are
    not on line, so that messages wait. clock_offset_s: how far this service's clock is ahead.
    """

    latency_ms: int = 0
    fail_next: int = 0
    fail_status: int = 500
    retry_after_s: int = 0
    lose_answers: int = 0
    outage: bool = False
    offline: bool = False
    clock_offset_s: int = 0

    def turned(self, changes: Mapping[str, Any]) -> Knobs:
        """These knobs with some of them changed. Raises BadKnob."""
        unknown = set(changes) - set(asdict(self))
        if unknown:
            raise BadKnob(f"There is no knob {', '.join(sorted(unknown))}. There are {', '.join(asdict(self))}.")
        for name, value in changes.items():
            _check(name, value)
        return replace(self, **changes)


BOUNDS = {
    "latency_ms": (0, 600_000),
    "fail_next": (ALL, 10**9),
    "retry_after_s": (0, 86_400),
    "lose_answers": (ALL, 10**9),
    "clock_offset_s": (0, 315_360_000),
}
SWITCHES = frozenset(knob.name for knob in fields(Knobs) if knob.type == "bool")


def _check(name: str, value: Any) -> None:
    if name in SWITCHES:
        if not isinstance(value, bool):
            raise BadKnob(f"{name} is true or false.")
    elif type(value) is not int:
        raise BadKnob(f"{name} is a whole number.")
    elif name == "fail_status":
        if value not in STATUSES:
            raise BadKnob(f"fail_status is one of {', '.join(map(str, STATUSES))}.")
    elif not BOUNDS[name][0] <= value <= BOUNDS[name][1]:
        raise BadKnob(f"{name} is a whole number from {BOUNDS[name][0]} to {BOUNDS[name][1]}.")
