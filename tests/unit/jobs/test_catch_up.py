"""What becomes of runs that nobody was there for, against the table of the module's docstring."""

from __future__ import annotations

import time
from datetime import datetime, timedelta

import pytest

from jobs.schedules.catch_up import GRACE, RUNS_AT_ONCE, Decision, missed, replan
from jobs.schedules.occurrences import Every, Once, Timing
from tests.wall_clocks import cron, utc

HOURLY = cron("0 * * * *")
A_SECOND = timedelta(seconds=1)


def at(hour: int, minute: int = 0, second: int = 0) -> datetime:
    return utc(2026, 11, 30, hour, minute, second)


@pytest.mark.parametrize(
    ("now", "rule", "runs", "following", "skipped"),
    [
        (at(10), "skip", [10], 11, 0),
        (at(10), "once", [10], 11, 0),
        (at(10), "all", [10], 11, 0),
        (at(10, 0, 40), "skip", [10], 11, 0),
        (at(10, 0, 40), "once", [10], 11, 0),
        (at(10, 0, 40), "all", [10], 11, 0),
        (at(10, 5), "skip", [], 11, 1),
        (at(10, 5), "once", [10], 11, 0),
        (at(13, 0, 30), "skip", [13], 14, 3),
        (at(13, 20), "skip", [], 14, 4),
        (at(13, 20), "once", [13], 14, 3),
        (at(13, 20), "all", [10, 11, 12, 13], 14, 0),
    ],
)
@pytest.mark.parametrize("timing", [HOURLY, Every(timedelta(hours=1))], ids=["crontab", "interval"])
def test_each_line_of_the_table(
    timing: Timing, now: datetime, rule: str, runs: list[int], following: int, skipped: int
) -> None:
    decision = missed(rule=rule, due=at(10), now=now, timing=timing)
    assert decision == Decision([at(hour) for hour in runs], at(following), skipped)


def test_all_stops_at_its_limit_and_goes_on_from_there() -> None:
    first = missed(rule="all", due=at(10), now=at(13, 20), timing=HOURLY, limit=2)
    assert first == Decision([at(10), at(11)], at(12), 0)
    assert first.next is not None
    assert missed(rule="all", due=first.next, now=at(13, 20), timing=HOURLY, limit=2) == Decision(
        [at(12), at(13)], at(14), 0
    )


def test_a_run_is_recent_up_to_the_grace_and_not_longer() -> None:
    late = at(10) + GRACE
    assert missed(rule="skip", due=at(10), now=late, timing=HOURLY).fire == [at(10)]
    assert missed(rule="skip", due=at(10), now=late + A_SECOND, timing=HOURLY).fire == []
    assert missed(rule="skip", due=at(10), now=late, timing=HOURLY, grace=timedelta(seconds=5)).fire == []


@pytest.mark.parametrize("rule", ["skip", "once", "all"])
def test_what_is_not_due_yet_stays_planned(rule: str) -> None:
    assert missed(rule=rule, due=at(11), now=at(10, 59, 59), timing=HOURLY) == Decision([], at(11), 0)


@pytest.mark.parametrize("timing", [cron("* * * * *"), cron("* 0-22 * * *"), Every(timedelta(seconds=30))])
@pytest.mark.parametrize("rule", ["skip", "once", "all"])
def test_a_year_of_absence_is_decided_in_a_moment(timing: Timing, rule: str) -> None:
    due = utc(2025, 11, 30, 10)
    before = time.process_time()
    decision = missed(rule=rule, due=due, now=at(10, 0, 10), timing=timing)
    assert time.process_time() - before < 0.5
    assert decision.fire[-1] == (at(10) if rule != "all" else decision.fire[RUNS_AT_ONCE - 1])
    if isinstance(timing, Every):
        assert decision.skipped == (365 * 86_400 // 30 if rule != "all" else 0)


def test_runs_missed_over_a_change_of_the_clock_are_those_that_the_clock_gave() -> None:
    daily = cron("30 2 * * *", "Europe/Berlin")
    decision = missed(rule="all", due=utc(2026, 3, 28, 1, 30), now=utc(2026, 3, 30, 8), timing=daily)
    assert decision.fire == [utc(2026, 3, 28, 1, 30), utc(2026, 3, 29, 1, 30), utc(2026, 3, 30, 0, 30)]
    assert missed(rule="once", due=decision.fire[0], now=utc(2026, 3, 30, 8), timing=daily).skipped == 2


def test_the_last_run_before_the_end_is_caught_up_and_none_comes_after_it() -> None:
    ending = cron("0 * * * *", expires=at(12))
    assert missed(rule="all", due=at(10), now=at(20), timing=ending) == Decision([at(10), at(11)], None, 0)
    assert missed(rule="once", due=at(10), now=at(20), timing=ending) == Decision([at(11)], None, 1)
    assert missed(rule="skip", due=at(10), now=at(20), timing=ending) == Decision([], None, 2)


def test_one_time_that_was_missed_is_made_up_for_unless_it_is_to_be_skipped() -> None:
    for rule, fire, skipped in (("once", [at(10)], 0), ("all", [at(10)], 0), ("skip", [], 1)):
        assert missed(rule=rule, due=at(10), now=at(20), timing=Once(at(10))) == Decision(fire, None, skipped)


def test_a_plan_that_the_definition_does_not_know_is_kept_as_it_stands() -> None:
    assert missed(rule="once", due=at(10, 30), now=at(10, 40), timing=HOURLY) == Decision([at(10, 30)], at(11), 0)
    assert missed(rule="once", due=at(10, 30), now=at(12, 40), timing=HOURLY) == Decision([at(12)], at(13), 2)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="skip, once or all"):
        missed(rule="sometimes", due=at(10), now=at(10), timing=HOURLY)


@pytest.mark.parametrize(
    ("planned", "now", "plan"),
    [
        (at(11), at(10, 30), at(11)),  # in good order
        (at(11), at(8, 30), at(9)),  # the clock was set back by two hours
        (at(11), at(9) + A_SECOND, at(9)),  # and what was due just then was not seen
        (at(11), at(8, 0, 4), at(8)),  # set back to a little before eight, and noticed a little after
        (at(11), at(8, 0, 11), at(9)),
        (at(11), at(11), at(11)),  # due
        (at(11), at(15, 30), at(11)),  # overdue: its rule decides
        (None, at(10, 30), at(11)),
        (at(11) + A_SECOND, at(10, 30), at(11)),
    ],
)
def test_a_plan_stands_unless_an_earlier_one_came_back_into_sight(
    planned: datetime | None, now: datetime, plan: datetime
) -> None:
    assert replan(HOURLY, planned, now) == plan


def test_a_plan_after_which_nothing_comes_stands() -> None:
    assert replan(Once(at(10)), at(10), at(11)) == at(10)
    assert replan(cron("0 * * * *", expires=at(9)), at(12), at(11)) == at(12)
    assert replan(Once(at(10)), None, at(11)) is None
