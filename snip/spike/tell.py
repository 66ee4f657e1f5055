"""What ``manage.py spike`` says: figures that were reckoned beside those that were measured."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jobs.sizing import BUSY
from snip.spike.arithmetic import Left, Sample, counters_needed, law_of, reckon
from snip.spike.draw import Curve, backlog_curve, chart, sparkline, svg
from snip.spike.play import Run


@dataclass(frozen=True)
class Plan:
    """Rates in clicks a second. capacity: of all ``counters`` together, measured before."""

    rate: float
    times: float
    seconds: float
    capacity: float
    counters: int

    def left(self) -> Left:
        return reckon(rate=self.rate, spike_rate=self.rate * self.times, seconds=self.seconds, capacity=self.capacity)


class Measured(NamedTuple):
    """Of the spike itself. came, counted: clicks a second. left: the look at its end. drain_rate: clicks a second after
    it. newest_waited: seconds until the last of its clicks was counted; None where that was not seen.
    """

    came: float
    counted: float
    left: Sample
    drain_rate: float
    newest_waited: float | None


def told(plan: Plan, run: Run) -> Iterator[str]:
    """The lines. A run that was broken off is told as far as it came."""
    reckoned = plan.left()
    yield from chart(run.samples, _curve(run, reckoned))
    yield f"{'oldest':>12}  {sparkline([each.age for each in run.samples])}"
    yield f"{'':14}up to {max(each.age for each in run.samples):,.1f} s"
    yield "Blocks: clicks that waited. Dots and rings: as reckoned from what was counted a second before."
    yield ""
    if run.ended:
        yield from _table(plan, run, reckoned)
        yield ""
    law = law_of(run.samples)
    yield f"Little's law, from beginning to end: L = {law.waiting:,.0f} clicks waited on average."
    ratio = f", {law.product / law.waiting:.0%} of that" if law.waiting else ""
    yield f"λ = {law.rate:,.0f}/s came, each waited W = {law.waits:,.2f} s: λW = {law.product:,.0f}{ratio}."
    each = plan.capacity / plan.counters
    yield (
        f"To be busy for {BUSY:.0%} of the time at most: {counters_needed(rate=plan.rate, capacity=each, busy=BUSY)} "
        f"at {plan.rate:,.0f}/s, {counters_needed(rate=plan.rate * plan.times, capacity=each, busy=BUSY)} "
        f"at {plan.rate * plan.times:,.0f}/s, where each counts {each:,.0f}/s."
    )


def drawn(plan: Plan, run: Run) -> str:
    """The run as an SVG image."""
    return svg(run.samples, _curve(run, plan.left()))


def measured(run: Run) -> Measured:
    """Of a run whose spike has ended."""
    begin = next(each for each in run.samples if each.at >= run.began - 0.2)
    end = next(each for each in run.samples if each.at >= run.ended - 0.2)
    took, drained = max(end.at - begin.at, 1e-9), run.samples[-1].at - end.at
    drain_rate = (run.samples[-1].counted - end.counted) / drained if drained > 0 else 0.0
    newest = next((each.at - end.at for each in run.samples if each.counted >= end.written), None)
    return Measured((end.written - begin.written) / took, (end.counted - begin.counted) / took, end, drain_rate, newest)


def _table(plan: Plan, run: Run, reckoned: Left) -> Iterator[str]:
    was = measured(run)
    drained = run.samples[-1].at - run.ended if run.drained else None
    # The same arithmetic with what really came and was counted in the spike, and what was counted a second after it.
    newest = was.left.waiting / was.drain_rate if was.drain_rate else math.inf
    again = reckon(rate=plan.rate, spike_rate=was.came, seconds=plan.seconds, capacity=max(was.counted, 1.0))
    spare = was.drain_rate - plan.rate
    rest = 0.0 if not again.backlog else again.backlog / spare if spare > 0 else math.inf
    yield f"{'':38}{'reckoned':>12}{'with its rates':>16}{'measured':>12}"
    rows = (
        ("came in the spike, clicks/s", plan.rate * plan.times, was.came, was.came, "{:,.0f}"),
        ("counted meanwhile, clicks/s", plan.capacity, was.counted, was.counted, "{:,.0f}"),
        ("waited at its end, clicks", reckoned.backlog, again.backlog, was.left.waiting, "{:,.0f}"),
        ("the oldest of them, s", reckoned.oldest_age, again.oldest_age, was.left.age, "{:,.1f}"),
        ("the newest of them waited, s", reckoned.newest_waits, newest, was.newest_waited, "{:,.1f}"),
        ("counted while it drained, clicks/s", plan.capacity, was.drain_rate, was.drain_rate, "{:,.0f}"),
        ("nothing waited after, s", reckoned.drained_after, rest, drained, "{:,.1f}"),
    )
    for name, *figures, form in rows:
        first, second, third = (_figure(each, str(form)) for each in figures)
        yield f"{name:<38}{first:>12}{second:>16}{third:>12}"


def _figure(value: object, form: str) -> str:
    if value is None:
        return "–"
    return "never" if value == math.inf else form.format(value)


def _curve(run: Run, reckoned: Left) -> Curve:
    return backlog_curve(
        began=run.began or run.samples[-1].at,
        ended=run.ended or run.samples[-1].at,
        backlog=reckoned.backlog if run.ended else 0.0,
        drained_after=reckoned.drained_after,
    )
