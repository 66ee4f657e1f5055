"""When a schedule is due, in worked examples and in what holds for all of them."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jobs.schedules.occurrences import Cron, Every, Once, Timing, count_between, last_until, next_after
from tests.wall_clocks import cron, due, utc

BERLIN = "Europe/Berlin"
ALWAYS = cron("* * * * *")
A_SECOND = timedelta(seconds=1)


def on(expression: str, zone: str, first: datetime, last: datetime) -> list[str]:
    """What is due within these instants, both included, as ``day hour:minute`` by UTC."""
    return [f"{at:%d %H:%M}" for at in due(cron(expression, zone), first - A_SECOND, last)]


@pytest.mark.parametrize(
    ("day", "runs"),
    [
        (utc(2026, 3, 28), ["28 01:30"]),
        (utc(2026, 3, 29), ["29 01:30"]),  # there is no 02:30: it is 03:30 in summer time
        (utc(2026, 3, 30), ["30 00:30"]),
        (utc(2026, 10, 24), ["24 00:30"]),
        (utc(2026, 10, 25), ["25 00:30"]),  # 02:30 comes twice: the first, in summer time
        (utc(2026, 10, 26), ["26 01:30"]),
    ],
)
def test_a_daily_job_at_half_past_two_in_berlin_runs_once_on_each_day_whatever_the_clock_does(
    day: datetime, runs: list[str]
) -> None:
    assert on("30 2 * * *", BERLIN, day, day + timedelta(hours=24) - A_SECOND) == runs


def test_a_daily_job_runs_once_on_each_day_of_twenty_years() -> None:
    days = [at.astimezone(ZoneInfo(BERLIN)).date() for at in due(cron("30 2 * * *", BERLIN), utc(2020), utc(2040))]
    assert len(days) == len(set(days)) == (utc(2040) - utc(2020)).days


@pytest.mark.parametrize(
    ("first", "runs"),
    [(utc(2026, 3, 28, 23), 23), (utc(2026, 3, 29, 22), 24), (utc(2026, 10, 24, 22), 25), (utc(2026, 10, 25, 23), 24)],
)
def test_an_hourly_job_follows_elapsed_time_and_runs_as_often_as_the_local_day_has_hours(
    first: datetime, runs: int
) -> None:
    found = due(cron("0 * * * *", BERLIN), first - A_SECOND, first + timedelta(hours=runs) - A_SECOND)
    assert len(found) == runs
    assert {at.astimezone(ZoneInfo(BERLIN)).date() for at in found} == {first.astimezone(ZoneInfo(BERLIN)).date()}
    assert found[0] == first


def test_every_quarter_of_an_hour_stays_just_that_while_the_clock_is_changed() -> None:
    for middle in (utc(2026, 3, 29, 1), utc(2026, 10, 25, 1)):
        found = due(cron("*/15 * * * *", BERLIN), middle - timedelta(hours=3), middle + timedelta(hours=3))
        assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(minutes=15)}
        assert len(found) == 24


def test_named_hours_that_come_to_one_instant_are_one_run() -> None:
    # 02:00 and 03:00, 02:30 and 03:30 are the same on this night.
    assert on("*/30 1-3 * * *", BERLIN, utc(2026, 3, 29), utc(2026, 3, 29, 3)) == [
        "29 00:00",
        "29 00:30",
        "29 01:00",
        "29 01:30",
    ]


def test_named_hours_that_the_clock_shows_again_are_not_run_again() -> None:
    assert on("*/30 1-3 * * *", BERLIN, utc(2026, 10, 24, 22), utc(2026, 10, 25, 4)) == [
        "24 23:00", "24 23:30", "25 00:00", "25 00:30", "25 02:00", "25 02:30",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("zone", "expression", "first", "last", "runs"),
    [
        # Half an hour of daylight saving: from 02:00 to 02:30, and back from 02:00 to 01:30.
        ("Australia/Lord_Howe", "15 2 * * *", utc(2026, 10, 3, 12), utc(2026, 10, 4, 12), ["03 15:45"]),
        ("Australia/Lord_Howe", "45 1 * * *", utc(2026, 4, 4, 12), utc(2026, 4, 5, 12), ["04 14:45"]),
        ("Australia/Lord_Howe", "45 * * * *", utc(2026, 4, 4, 14), utc(2026, 4, 4, 16), ["04 14:45", "04 15:15"]),
        # Midnight is left out, or the day before gets its last hour twice.
        ("Asia/Beirut", "0 0 * * *", utc(2026, 3, 28, 12), utc(2026, 3, 29, 12), ["28 22:00"]),
        ("Africa/Cairo", "0 0 * * *", utc(2026, 4, 23, 12), utc(2026, 4, 24, 12), ["23 22:00"]),
        ("Africa/Cairo", "30 23 * * *", utc(2026, 10, 29, 12), utc(2026, 10, 30, 12), ["29 20:30"]),
        ("America/Santiago", "30 0 * * *", utc(2026, 9, 5, 12), utc(2026, 9, 6, 12), ["06 04:30"]),
        ("America/Santiago", "30 23 * * *", utc(2026, 4, 4, 12), utc(2026, 4, 5, 12), ["05 02:30"]),
        # Morocco's clock goes back for Ramadan, and forward after it.
        ("Africa/Casablanca", "30 2 * * *", utc(2026, 2, 14, 12), utc(2026, 2, 15, 12), ["15 01:30"]),
        ("Africa/Casablanca", "30 2 * * *", utc(2026, 3, 21, 12), utc(2026, 3, 22, 12), ["22 02:30"]),
        ("Asia/Kathmandu", "0 6 * * *", utc(2026, 6, 1), utc(2026, 6, 2), ["01 00:15"]),
        # Samoa had no 30 December 2011. What was due by that day's clock came at the same time of the 31st.
        ("Pacific/Apia", "30 2 30 12 *", utc(2011, 12, 1), utc(2011, 12, 31, 23), ["30 12:30"]),
        ("Pacific/Apia", "30 2 * * *", utc(2011, 12, 29, 12), utc(2012, 1, 1), ["29 12:30", "30 12:30", "31 12:30"]),
        ("Pacific/Apia", "0 * 30 12 *", utc(2011, 12, 1), utc(2011, 12, 31, 23), []),
        # Alaska had 18 October 1867 twice, for a day's length.
        ("America/Sitka", "30 12 * * *", utc(1867, 10, 17), utc(1867, 10, 20), ["17 21:31", "18 21:31"]),
    ],
)  # fmt: skip
def test_clocks_that_do_odd_things(
    zone: str, expression: str, first: datetime, last: datetime, runs: list[str]
) -> None:
    assert on(expression, zone, first, last) == runs


def test_a_day_that_the_clock_left_out_is_owed_after_midnight() -> None:
    timing = cron("30 2 30 12 *", "Pacific/Apia")
    the_31st = utc(2011, 12, 30, 11)  # an hour old; the 30th never was
    assert next_after(timing, the_31st) == utc(2011, 12, 30, 12, 30)
    assert count_between(timing, the_31st, utc(2011, 12, 30, 13)) == 1
    assert last_until(timing, utc(2011, 12, 31, 11)) == utc(2011, 12, 30, 12, 30)


def test_a_day_that_the_clock_showed_twice_has_its_hours_one_after_the_other() -> None:
    hourly, noon = cron("0 * * * *", "America/Sitka"), cron("0 12 19 10 *", "America/Sitka")
    found = due(hourly, utc(1867, 10, 16), utc(1867, 10, 21))
    assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(hours=1)}
    for number, instant in enumerate(found):
        assert last_until(hourly, instant + timedelta(minutes=59)) == instant
        assert count_between(hourly, found[0], instant) == number
        assert count_between(hourly, instant, found[-1]) == len(found) - 1 - number
    # By the calendar noon of the 19th was the first one, before the clock went back into the 18th.
    first_noon = next_after(noon, utc(1867, 10, 1))
    assert first_noon is not None
    assert [last_until(noon, first_noon + timedelta(hours=hours)) for hours in range(30)] == [first_noon] * 30


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("0 9 31 * *", utc(2026, 4, 1), utc(2026, 5, 31, 9)),
        ("0 9 29 2 *", utc(2026, 1, 1), utc(2028, 2, 29, 9)),
        ("0 9 29 2 *", utc(2096, 3, 1), utc(2104, 2, 29, 9)),  # 2100 is no leap year
        ("0 9 29 2 mon", utc(2026, 1, 1), utc(2044, 2, 29, 9)),
        ("0 9 29 2 mon", utc(2072, 2, 29, 9), utc(2112, 2, 29, 9)),
        ("59 23 31 12 *", utc(2026, 12, 31, 23, 59), utc(2027, 12, 31, 23, 59)),
        ("0 9 1-7 * mon", utc(2026, 11, 1), utc(2026, 11, 2, 9)),  # the first Monday: both must match
        ("0 9 1-7 * mon", utc(2026, 11, 2, 9), utc(2026, 12, 7, 9)),
        ("0 9 * * sun", utc(2026, 11, 2), utc(2026, 11, 8, 9)),
        ("0 9 * * 7", utc(2026, 11, 2), utc(2026, 11, 8, 9)),
        ("*/20 22-1 * * *", utc(2026, 1, 1, 1, 40), utc(2026, 1, 1, 22)),
        ("0 0 1 */3 *", utc(2026, 4, 1), utc(2026, 7, 1)),
    ],
)
def test_days_that_are_not_in_every_month_or_year(expression: str, after: datetime, expected: datetime) -> None:
    assert next_after(cron(expression), after) == expected
    assert last_until(cron(expression), expected + A_SECOND) == expected


def never(**other: set[int]) -> Cron:
    fields: dict[str, set[int]] = {"minutes": {0}, "hours": {3}, "days_of_month": {30}, "months": {2}}
    every_day = set(range(7))
    return Cron(
        **{name: frozenset(other.get(name, values)) for name, values in fields.items()},
        days_of_week=frozenset(other.get("days_of_week", every_day)),
        zone=ZoneInfo(BERLIN),
    )


@pytest.mark.parametrize(
    "timing",
    [never(), never(days_of_week=set(), days_of_month=set(range(1, 32))), never(hours=set(), days_of_month={1})],
)
def test_what_never_comes_is_searched_for_no_longer_than_a_moment(timing: Cron) -> None:
    before = time.process_time()
    assert next_after(timing, utc(2026)) is None
    assert last_until(timing, utc(2026)) is None
    assert count_between(timing, utc(2026), utc(2126)) == 0
    assert time.process_time() - before < 1


def test_the_ends_of_the_calendar_end_the_search() -> None:
    last, first = utc(9999, 12, 31, 23, 59), utc(1, 1, 1)
    assert next_after(cron("30 2 * * *"), last) is None
    assert next_after(Every(timedelta(days=400)), last) is None
    assert last_until(cron("30 2 * * *"), first) is None
    assert last_until(Every(timedelta(days=400), anchor=utc(2026)), first) is None


def test_an_interval_lies_on_one_grid_for_everybody() -> None:
    assert next_after(Every(timedelta(seconds=30)), utc(2026, 1, 1, 0, 0, 30)) == utc(2026, 1, 1, 0, 1)
    assert next_after(Every(timedelta(hours=7)), utc(1970)) == utc(1970, 1, 1, 7)
    assert last_until(Every(timedelta(hours=7)), utc(1969, 12, 31, 23)) == utc(1969, 12, 31, 17)


def test_an_interval_with_a_start_time_begins_there_and_counts_from_there() -> None:
    timing = Every(timedelta(hours=7), anchor=utc(2026, 5, 4, 3, 2, 1))
    assert next_after(timing, utc(2026)) == utc(2026, 5, 4, 3, 2, 1)
    assert next_after(timing, utc(2026, 5, 4, 3, 2, 1)) == utc(2026, 5, 4, 10, 2, 1)
    assert last_until(timing, utc(2026, 5, 4, 3, 2)) is None


def test_an_interval_takes_no_notice_of_the_clocks_of_men() -> None:
    start = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo(BERLIN))
    assert next_after(Every(timedelta(days=1), anchor=start), start) == utc(2026, 3, 29, 11)


def test_one_time_is_due_once() -> None:
    timing = Once(datetime(2026, 3, 28, 12, tzinfo=ZoneInfo(BERLIN)))
    assert next_after(timing, utc(2026)) == utc(2026, 3, 28, 11)
    assert next_after(timing, utc(2026, 3, 28, 11)) is None
    assert last_until(timing, utc(2026, 3, 28, 11)) == utc(2026, 3, 28, 11)
    assert last_until(timing, utc(2026)) is None
    assert count_between(timing, utc(2026), utc(2027)) == 1


def test_a_start_time_and_an_end_bound_a_crontab() -> None:
    timing = cron("0 9 * * *", start_time=utc(2026, 5, 4, 9), expires=utc(2026, 5, 6, 9))
    assert due(timing, utc(2026), utc(2027)) == [utc(2026, 5, 4, 9), utc(2026, 5, 5, 9)]
    assert last_until(timing, utc(2027)) == utc(2026, 5, 5, 9)
    assert last_until(timing, utc(2026, 5, 4, 8)) is None
    assert count_between(timing, utc(2026), utc(2027)) == 2
    assert count_between(timing, utc(2027), utc(2028)) == 0


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="make it aware"):
        next_after(ALWAYS, datetime(2026, 1, 1))  # noqa: DTZ001


def test_a_year_of_minutes_is_counted_without_walking_through_it() -> None:
    before = time.process_time()
    assert count_between(cron("* * * * *", BERLIN), utc(2026), utc(2027)) == 365 * 24 * 60
    assert (
        count_between(cron("* 0-22 * * *", BERLIN), utc(2025, 12, 31, 23), utc(2026, 12, 31, 23)) == 365 * 23 * 60 - 60
    )
    assert count_between(Every(timedelta(seconds=30)), utc(2026), utc(2027)) == 365 * 24 * 120
    assert time.process_time() - before < 1


ZONES = [
    "UTC",
    BERLIN,
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Santiago",
    "Asia/Kathmandu",
    "Africa/Casablanca",
]
INSTANTS = st.datetimes(datetime(1990, 1, 1), datetime(2045, 1, 1)).map(lambda at: at.replace(tzinfo=ZoneInfo("UTC")))  # noqa: DTZ001
CRONS = st.builds(
    lambda minute, hour, day, weekday, zone: cron(f"{minute} {hour} {day} * {weekday}", zone),
    st.sampled_from(["0", "30", "*/20", "59", "0,1"]),
    st.sampled_from(["*", "2", "0", "23", "0-3", "*/6"]),
    st.sampled_from(["*", "*", "31", "1-7"]),
    st.sampled_from(["*", "*", "mon-fri", "0"]),
    st.sampled_from(ZONES),
)
GRIDS = st.builds(
    lambda seconds, anchor: Every(timedelta(seconds=seconds), anchor),
    st.sampled_from([1, 30, 3600, 86_400, 100_000]),
    st.none() | INSTANTS,
)


@settings(max_examples=150, deadline=None)
@given(timing=CRONS | GRIDS, instant=INSTANTS)
@example(timing=cron("30 2 * * *", "Pacific/Apia"), instant=utc(2011, 12, 29))
@example(timing=cron("*/20 * * * *", "Australia/Lord_Howe"), instant=utc(2026, 4, 4, 14, 50))
@example(timing=cron("0-59 0-3 * * *", "America/Santiago"), instant=utc(2026, 9, 6, 3))
def test_the_next_and_the_last_agree_and_time_only_goes_on(timing: Timing, instant: datetime) -> None:
    instants = [instant]
    for _ in range(12):
        following = next_after(timing, instants[-1])
        assert following is not None
        assert following > instants[-1]
        assert last_until(timing, following) == following
        if len(instants) > 1:
            assert last_until(timing, following - timedelta(microseconds=1)) == instants[-1]
            middle = instants[-1] + (following - instants[-1]) / 2
            assert next_after(timing, middle) == following
        instants.append(following)
    assert count_between(timing, instant, instants[-1]) == 12
    assert count_between(timing, instants[3], instants[7]) == 4
