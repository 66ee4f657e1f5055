"""What the stand-in does wrong on purpose. The knobs are kept with its state and obeyed from the next request on."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from sandbox.stripe.state import State

ALL = -1
TEN_YEARS = 315_360_000  # s
DECLINES = ("generic_decline", "insufficient_funds", "expired_card", "lost_card", "processing_error")
CHOICES = {
    "decline_code": DECLINES,
    "lose_answers_by": ("silence", "close"),
    "refunds": ("succeed", "pending", "slow", "fail_later", "refuse"),
    "webhooks": ("send", "never"),
}


class BadKnob(ValueError):
    """A knob was turned where it does not go; the message says how far it goes."""


@dataclass(frozen=True)
class Knobs:
    """How the stand-in behaves; as made, it does what is asked at once. A count of -1 is for all.

    latency_ms: before each answer of the API. fail_next, fail_rate: requests answered with 500, by number and by
    chance; fail_executes: after the work was done. limit_next: requests answered with 429; limit_per_second: all beyond
    that rate, 0 for no limit, after a burst of limit_burst; retry_after_s: what 429 says, nothing when 0.
    lose_answers: POSTs that are executed and never answered; lose_answers_by: with silence until the client hangs up,
    or by closing. decline_next, decline_rate, decline_code: payments that the bank declines whatever the card.
    three_d_secure_next: payments that ask for 3-D Secure whatever the card. refunds: what becomes of new ones;
    settle_after_s: when pending refunds and bank debits are decided, 0 for by hand. webhooks: sent or never;
    webhook_delay_s: how late; webhook_copies: how often each; webhook_reorder_s: those of so many seconds are sent
    together, the newest first. clock_offset_s: how far the stand-in's clock is ahead.
    """

    latency_ms: int = 0
    fail_next: int = 0
    fail_rate: float = 0.0
    fail_executes: bool = False
    limit_next: int = 0
    limit_per_second: float = 0.0
    limit_burst: int = 1
    retry_after_s: int = 0
    lose_answers: int = 0
    lose_answers_by: str = "silence"
    decline_next: int = 0
    decline_rate: float = 0.0
    decline_code: str = "generic_decline"
    three_d_secure_next: int = 0
    refunds: str = "succeed"
    settle_after_s: int = 5
    webhooks: str = "send"
    webhook_delay_s: float = 0.0
    webhook_copies: int = 1
    webhook_reorder_s: float = 0.0
    clock_offset_s: int = 0

    def turned(self, changes: Mapping[str, Any]) -> Knobs:
        """These knobs with some of them changed. Raises BadKnob."""
        unknown = set(changes) - set(asdict(self))
        if unknown:
            raise BadKnob(f"There is no knob {', '.join(sorted(unknown))}. There are {', '.join(asdict(self))}.")
        return replace(self, **{name: _checked(name, value) for name, value in changes.items()})


BOUNDS: dict[str, tuple[float, float]] = {
    "latency_ms": (0, 600_000),
    "fail_next": (ALL, 10**9),
    "fail_rate": (0, 1),
    "limit_next": (ALL, 10**9),
    "limit_per_second": (0, 10_000),
    "limit_burst": (1, 10_000),
    "retry_after_s": (0, 86_400),
    "lose_answers": (ALL, 10**9),
    "decline_next": (ALL, 10**9),
    "decline_rate": (0, 1),
    "three_d_secure_next": (ALL, 10**9),
    "settle_after_s": (0, TEN_YEARS),
    "webhook_delay_s": (0, 259_200),
    "webhook_copies": (1, 10),
    "webhook_reorder_s": (0, 3600),
    "clock_offset_s": (0, TEN_YEARS),
}
TYPES = {knob.name: str(knob.type) for knob in fields(Knobs)}


def _checked(name: str, value: Any) -> Any:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise BadKnob(f"{name} is one of {', '.join(CHOICES[name])}.")
        return value
    if TYPES[name] == "bool":
        if not isinstance(value, bool):
            raise BadKnob(f"{name} is true or false.")
        return value
    low, high = BOUNDS[name]
    whole = TYPES[name] == "int"
    right = type(value) is int or (not whole and type(value) is float)
    if not right or not low <= value <= high:
        raise BadKnob(f"{name} is a {'whole ' if whole else ''}number from {low} to {high}.")
    return value if whole else float(value)


class Board:
    """The knobs as they stand."""

    def __init__(self, state: State) -> None:
        self._state = state
        kept = state.setting("knobs") or {}
        self.knobs = Knobs().turned({name: value for name, value in kept.items() if name in asdict(Knobs())})

    def turn(self, changes: Mapping[str, Any]) -> Knobs:
        """Change some knobs and return how they stand now. Raises BadKnob."""
        with self._state.changing():
            return self._keep(self.knobs.turned(changes))

    def reset(self) -> Knobs:
        """All knobs as made, the clock included."""
        with self._state.changing():
            return self._keep(Knobs())

    def use_up(self, name: str) -> bool:
        """Take one from a counting knob. False when it stands at 0."""
        if getattr(self.knobs, name) == 0:
            return False
        with self._state.changing():
            left = getattr(self.knobs, name)
            if left > 0:
                self._keep(replace(self.knobs, **{name: left - 1}))
            return bool(left != 0)

    def chance(self, name: str) -> bool:
        """Whether a knob that is a rate hits this time."""
        rate = getattr(self.knobs, name)
        return bool(rate) and random.random() < rate  # noqa: S311 - a fault, not a secret

    def _keep(self, knobs: Knobs) -> Knobs:
        self._state.set("knobs", asdict(knobs))
        self.knobs = knobs
        return knobs
