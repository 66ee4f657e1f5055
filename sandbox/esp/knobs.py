"""What the ESP does wrong on purpose: a file in the mailbox's folder, obeyed from the next request on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sandbox.knobs import ALL, BadKnob, KnobFile

CHOICES = {
    "outage": ("none", "refuse", "silence", "error"),
    "lose_answers_by": ("close", "silence"),
    "webhooks": ("send", "never"),
}
BOUNDS: dict[str, tuple[float, float]] = {
    "latency_ms": (0, 600_000),
    "spike_ms": (0, 600_000),
    "spike_rate": (0, 1),
    "fail_next": (ALL, 10**9),
    "fail_rate": (0, 1),
    "fail_code": (400, 599),
    "limit_per_second": (0, 100_000),
    "limit_next": (ALL, 10**9),
    "retry_after_s": (0, 86_400),
    "lose_answers": (ALL, 10**9),
    "largest_mb": (1, 40),
    "webhook_delay_s": (0, 86_400),
    "webhook_copies": (1, 10),
}
FRACTIONS = frozenset({"spike_rate", "fail_rate", "webhook_delay_s"})


@dataclass(frozen=True)
class EspKnobs:
    """How the ESP behaves; as made, it takes every mail at once. A count of -1 is for all.

    latency_ms: before each answer; spike_ms: instead of it, by the chance spike_rate. fail_next, fail_rate: requests
    answered with fail_code, by number and by chance, and not executed. limit_per_second: at most so many requests in
    any second that has passed (a sliding window), the others are answered 429; 0 for no limit. limit_next: requests
    answered 429 whatever the rate. retry_after_s: what a 429 says; 0 for the time until the window has room, rounded up
    to a second. outage: ``refuse`` breaks each connection, ``silence`` never answers, ``error`` answers 500.
    lose_answers: mails that are taken and never answered; lose_answers_by: by closing, or with silence. largest_mb: of
    a request. webhooks: sent or never; webhook_delay_s: how late; webhook_copies: how often each.
    """

    latency_ms: int = 0
    spike_ms: int = 5000
    spike_rate: float = 0.0
    fail_next: int = 0
    fail_rate: float = 0.0
    fail_code: int = 500
    limit_per_second: int = 0
    limit_next: int = 0
    retry_after_s: int = 0
    outage: str = "none"
    lose_answers: int = 0
    lose_answers_by: str = "close"
    largest_mb: int = 40
    webhooks: str = "send"
    webhook_delay_s: float = 0.0
    webhook_copies: int = 1

    def turned(self, changes: Mapping[str, Any]) -> EspKnobs:
        """These knobs with some of them changed. Raises BadKnob."""
        unknown = set(changes) - set(asdict(self))
        if unknown:
            raise BadKnob(f"There is no knob {', '.join(sorted(unknown))}. There are {', '.join(asdict(self))}.")
        return replace(self, **{name: _checked(name, value) for name, value in changes.items()})


def _checked(name: str, value: Any) -> Any:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise BadKnob(f"{name} is one of {', '.join(CHOICES[name])}.")
        return value
    low, high = BOUNDS[name]
    right = type(value) is int or (name in FRACTIONS and type(value) is float)
    if not right or not low <= value <= high:
        raise BadKnob(f"{name} is a {'' if name in FRACTIONS else 'whole '}number from {low} to {high}.")
    return float(value) if name in FRACTIONS else value


def esp_knobs(folder: Path) -> KnobFile[EspKnobs]:
    """Those of the ESP that keeps its mails in ``folder``."""
    return KnobFile(folder, EspKnobs(), name="esp-knobs.json")
