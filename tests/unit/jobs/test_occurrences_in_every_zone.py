"""Crontabs in each time zone there is, against wall clocks that are watched minute by minute.

Zones whose clocks show the same all year are one case. Each case is watched for the whole year in half hours, and in
minutes round each change.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib import resources
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, available_timezones

import pytest

from jobs.schedules.occurrences import AN_INSTANT, count_between, last_until
from tests.wall_clocks import A_MINUTE, EPOCH, Change, changes, cron, due, due_by_watching, times_of, utc, watch

HALF_HOURLY = ["30 2 * * *", "0 0 * * *", "30 23,0 * * sun", "0 0-4,12 1,28-31 * *"]
"""Of what is watched in half hours: each case takes one of them in turn."""

NEAR_A_CHANGE = ["30 2 * * *", "0 0 * * *", "59 23 * * *", "*/20 0-4,22-23 * * *", "7 * * * *", "*/15 * * * *"]
"""Of what is watched in minutes."""

YEARS = [2011, 2026]
"""2011: Samoa left out 30 December, and Egypt, Russia and Turkey changed their minds."""


STEPS = [30, 15, 1]
"""Minutes. Nepal is at a quarter to, and Newfoundland changed its clock at a minute past midnight."""


@lru_cache
def cases(year: int) -> dict[tuple[timedelta, tuple[Change, ...]], list[str]]:
    """The zones by what their clocks show in the year: the offset at its start, and the changes."""
    found = defaultdict(list)
    for name in sorted(available_timezones()):
        zone = ZoneInfo(name)
        offset = utc(year, 1, 1).astimezone(zone).utcoffset()
        assert offset is not None
        found[offset, changes(zone, utc(year, 1, 1), utc(year + 1, 1, 1))].append(name)
    return dict(found)


def _in_step(minutes: int, offset: timedelta, table: tuple[Change, ...]) -> bool:
    step = timedelta(minutes=minutes)
    return not offset % step and not any((change.at - EPOCH) % step or change.after % step for change in table)


@pytest.mark.parametrize("year", YEARS)
def test_in_every_zone_a_crontab_is_due_all_year_when_the_wall_clock_says_so(year: int) -> None:
    start, end = utc(year, 1, 1), utc(year, 12, 31, 23, 30)
    assert len(cases(year)) > 60
    for number, ((offset, table), zones) in enumerate(cases(year).items()):
        step = next(step for step in STEPS if _in_step(step, offset, table))
        timing = cron(HALF_HOURLY[number % len(HALF_HOURLY)], zones[0])
        seen = watch(offset, table, start, end, times_of(timing), step)
        expected = [instant for instant in due_by_watching(timing, seen) if instant <= end]
        assert due(timing, start - A_MINUTE, end) == expected, (zones, timing)


@pytest.mark.parametrize("year", YEARS)
def test_in_every_zone_a_crontab_is_due_to_the_minute_round_each_change_of_the_clock(year: int) -> None:
    for (_, table), zones in cases(year).items():
        for change in table:
            _compare_round(change, zones[0])


def test_the_changes_of_all_times_that_run_through_a_midnight_are_kept_to_the_minute_as_well() -> None:
    """A part of such a change lies on each of two days."""
    found = {}
    for name in sorted(available_timezones()):
        for change in _changes_in_file(name):
            low, high = sorted((change.at + change.before, change.at + change.after))
            midnight = high.replace(hour=0, minute=0, second=0)
            if low < midnight < high and not any(
                (low - EPOCH) % A_MINUTE or offset % A_MINUTE for offset in change[1:]
            ):
                found.setdefault(change, name)
    assert len(found) > 40
    for change, name in found.items():
        _compare_round(change, name)


def _compare_round(change: Change, zone: str) -> None:
    reach = timedelta(hours=5) + abs(change.after - change.before)
    start, end = change.at - reach, change.at + reach
    timings = [cron(expression, zone) for expression in NEAR_A_CHANGE]
    seen = watch(change.before, [change], start, end, times_of(*timings))
    for timing in timings:
        expected = [instant for instant in due_by_watching(timing, seen) if start < instant <= end]
        assert due(timing, start, end) == expected, (zone, timing, change)
        assert count_between(timing, start, end) == len(expected), (zone, timing, change)
        latest = [last_until(timing, instant - AN_INSTANT) for instant in expected[1:]]
        assert latest == expected[:-1], (zone, timing, change)


def test_no_zone_ever_moves_its_clock_by_more_than_a_day_or_twice_within_a_day() -> None:
    """What the search of three days relies on, in what the time zone database says of the past and the future."""
    seen = 0
    for name in available_timezones():
        earlier = None
        for change in _changes_in_file(name):
            seen += 1
            assert abs(change.after - change.before) <= timedelta(days=1), (name, change)
            assert earlier is None or change.at - earlier > timedelta(days=3), (name, change)
            earlier = change.at
    assert seen > 10_000


def _changes_in_file(name: str) -> list[Change]:
    """The changes of offset in a compiled file (RFC 9636), to where its table ends."""
    paths = [Path(folder, name) for folder in TZPATH if Path(folder, name).is_file()]
    data = paths[0].read_bytes() if paths else resources.files("tzdata").joinpath("zoneinfo", name).read_bytes()
    header = ">4sc15x6l"
    size = struct.calcsize(header)
    _, version, isutc, isstd, leap, times, types, letters = struct.unpack_from(header, data)
    assert version >= b"2"
    # The first block has 32-bit times, for old readers; the second repeats it all with 64 bits.
    second = size + times * 5 + types * 6 + letters + leap * 8 + isstd + isutc
    *_, times, types, _ = struct.unpack_from(header, data, second)
    start = second + size
    instants = struct.unpack_from(f">{times}q", data, start)
    kinds = struct.unpack_from(f">{times}B", data, start + times * 8)
    offsets = [
        timedelta(seconds=struct.unpack_from(">lBB", data, start + times * 9 + kind * 6)[0]) for kind in range(types)
    ]
    rows = zip(instants, [0, *kinds], kinds, strict=False)
    return [
        Change(EPOCH + timedelta(seconds=at), offsets[before], offsets[after])
        for at, before, after in rows
        if offsets[before] != offsets[after]
    ]


def test_the_watched_clocks_include_the_odd_ones() -> None:
    tables = {name: table for (_, table), zones in cases(2026).items() for name in zones}
    assert [abs(change.after - change.before) for change in tables["Australia/Lord_Howe"]] == [
        timedelta(minutes=30)
    ] * 2
    assert not tables["Asia/Kathmandu"]
    assert len(tables["Africa/Casablanca"]) == 2
    in_2011 = {name: table for (_, table), zones in cases(2011).items() for name in zones}
    assert (
        Change(datetime(2011, 12, 30, 10, tzinfo=UTC), timedelta(hours=-10), timedelta(hours=14))
        in in_2011["Pacific/Apia"]
    )
