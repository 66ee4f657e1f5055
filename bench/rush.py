"""A rush on one show: many fans at the same instant, and a look at the tables afterwards."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

from django.db import connection

from inventory.errors import SeatsTaken
from inventory.models import Hold, Seat

# Takes a show's id and the chosen seats; gives a hold or raises SeatsTaken.
Way = Callable[[int, list[int]], Hold]


@dataclass(frozen=True)
class Rush:
    """How it went. ``flaw`` says what went wrong, if anything."""

    attempts_per_second: float
    p99_ms: float
    holds: int
    flaw: str

    def __str__(self) -> str:
        figures = f"{self.attempts_per_second:.0f} attempts/s, p99 {self.p99_ms:.0f} ms, {self.holds} holds"
        return f"{figures}, FLAW: {self.flaw}" if self.flaw else figures


def rush(way: Way, *, show_id: int, choices: Sequence[list[int]], threads: int) -> Rush:
    """All choices, shared among threads that start together, each with a connection of its own."""
    barrier = Barrier(threads + 1)
    answers: list[object] = [None] * len(choices)
    seconds: list[float] = [0.0] * len(choices)

    def run(first: int) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(600)
            for nth in range(first, len(choices), threads):
                began = time.perf_counter()
                answers[nth] = _answer(way, show_id, choices[nth])
                seconds[nth] = time.perf_counter() - began
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(run, first) for first in range(threads)]
        barrier.wait(600)
        began = time.perf_counter()
        for thread in running:
            thread.result(600)
        took = time.perf_counter() - began
    return Rush(
        attempts_per_second=len(choices) / took,
        p99_ms=sorted(seconds)[int(len(seconds) * 0.99)] * 1000,
        holds=sum(isinstance(answer, Hold) for answer in answers),
        flaw=_flaw(show_id, choices, answers),
    )


def _answer(way: Way, show_id: int, choice: list[int]) -> object:
    try:
        return way(show_id, choice)
    except SeatsTaken as refusal:
        return refusal
    except Exception as error:  # a deadlock, a time-out: no answer that a fan could use
        return f"{type(error).__name__}: {error}"


def _flaw(show_id: int, choices: Sequence[list[int]], answers: Sequence[object]) -> str:
    """What is wrong in the tables, or nothing."""
    if unanswered := [answer for answer in answers if not isinstance(answer, Hold | SeatsTaken)]:
        return f"{len(unanswered)} fans without an answer, such as {unanswered[0]}"
    holds = [answer for answer in answers if isinstance(answer, Hold)]
    promised = Counter(seat for hold in holds for seat in hold.seat_ids)
    if twice := sum(count > 1 for count in promised.values()):
        return f"{twice} seats given away twice"
    held = dict(Seat.objects.filter(show_id=show_id, status="held").values_list("pk", "hold_id"))
    if held != {seat: hold.pk for hold in holds for seat in hold.seat_ids}:
        return "seats are held by somebody else than was promised"
    if Seat.objects.filter(show_id=show_id).exclude(status__in=("held", "available")).exists():
        return "seats are lost"
    needless = sum(
        isinstance(answer, SeatsTaken) and held.keys().isdisjoint(choice)
        for choice, answer in zip(choices, answers, strict=True)
    )
    return f"{needless} fans refused though their seats are still free" if needless else ""
