"""What the rows that staff edit mean, and what is refused with a sentence for them."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from jobs.errors import UnfitSchedule
from jobs.schedules.occurrences import Every, Once, cron_fields, fingerprint, timing_of
from tests.wall_clocks import cron, utc


def row(**fields: object) -> PeriodicTask:
    return PeriodicTask(name="a schedule", **fields)


def test_an_interval_is_read_with_its_start_time_and_its_end() -> None:
    every = IntervalSchedule(every=5, period="minutes")
    assert timing_of(row(interval=every)) == Every(timedelta(minutes=5))
    bounded = row(interval=every, start_time=utc(2026), expires=utc(2027))
    assert timing_of(bounded) == Every(timedelta(minutes=5), anchor=utc(2026), end=utc(2027))


def test_one_time_is_read() -> None:
    assert timing_of(row(clocked=ClockedSchedule(clocked_time=utc(2026)), one_off=True)) == Once(utc(2026))


@pytest.mark.parametrize(
    ("field", "text", "values"),
    [
        ("minutes", "* 0 * * *", set(range(60))),
        ("minutes", "*/15 0 * * *", {0, 15, 30, 45}),
        ("minutes", "5-10/2,50 0 * * *", {5, 7, 9, 50}),
        ("hours", "0 22-2 * * *", {22, 23, 0, 1, 2}),
        ("days_of_month", "0 0 */10 * *", {1, 11, 21, 31}),
        ("months", "0 0 1 */5 *", {1, 6, 11}),
        ("months", "0 0 1 feb,october *", {2, 10}),
        ("days_of_week", "0 0 * * *", set(range(7))),
        ("days_of_week", "0 0 * * mon-fri", {1, 2, 3, 4, 5}),
        ("days_of_week", "0 0 * * FRI,sunday", {5, 0}),
        ("days_of_week", "0 0 * * sat-mon", {6, 0, 1}),
        ("days_of_week", "0 0 * * */2", {0, 2, 4, 6}),
        ("days_of_week", "0 0 * * 7", {0}),  # as the admin's form promises
        ("days_of_week", "0 0 * * 5-7,2", {5, 6, 0, 2}),
    ],
)
def test_the_fields_of_a_crontab_mean_what_the_library_says(field: str, text: str, values: set[int]) -> None:
    assert getattr(cron(text), field) == values


def test_the_zone_of_a_crontab_is_its_own() -> None:
    assert cron("0 0 * * *", "Asia/Kathmandu").zone == ZoneInfo("Asia/Kathmandu")
    assert timing_of(row(crontab=CrontabSchedule(minute="0"))).zone == ZoneInfo("UTC")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Choose exactly one"),
        ({"interval": IntervalSchedule(every=1, period="days"), "crontab": CrontabSchedule()}, "Choose exactly one"),
        ({"solar": SolarSchedule(event="sunrise", latitude=1, longitude=1)}, "by the sun are not supported"),
        ({"interval": IntervalSchedule(every=0, period="seconds")}, "a second at least"),
        ({"interval": IntervalSchedule(every=999_999, period="microseconds")}, "a second at least"),
        ({"interval": IntervalSchedule(every=-1, period="days")}, "a second at least"),
        ({"interval": IntervalSchedule(every=2**31 - 1, period="days")}, "No interval is 2147483647 days long"),
        ({"interval": IntervalSchedule(every=1, period="fortnights")}, "No interval is 1 fortnights long"),
        ({"crontab": CrontabSchedule(minute="60")}, "minute '60' cannot be read"),
        ({"crontab": CrontabSchedule(minute="*/0")}, "minute '*/0' cannot be read"),
        ({"crontab": CrontabSchedule(hour="")}, "hour '' cannot be read"),
        ({"crontab": CrontabSchedule(hour="1,,2")}, "hour '1,,2' cannot be read: empty part"),
        ({"crontab": CrontabSchedule(day_of_week="8")}, "day of week '8' cannot be read"),
        ({"crontab": CrontabSchedule(day_of_week="mon#1")}, "'mon#1' is no value, range or step"),
        ({"crontab": CrontabSchedule(minute="*/1-5")}, "'*/1-5' is no value, range or step"),
        ({"crontab": CrontabSchedule(day_of_week="someday")}, "day of week 'someday' cannot be read"),
        ({"crontab": CrontabSchedule(day_of_month="30", month_of_year="2")}, "None of its months has a day 30"),
        ({"crontab": CrontabSchedule(day_of_month="31", month_of_year="4,6")}, "None of its months has a day 31"),
        ({"clocked": ClockedSchedule(clocked_time=utc(2026)), "start_time": utc(2026, 1, 2)}, "would never run"),
        ({"clocked": ClockedSchedule(clocked_time=utc(2026)), "expires": utc(2026)}, "would never run"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_a_sentence_for_staff(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(UnfitSchedule) as refused:
        timing_of(row(**fields))
    assert sentence in str(refused.value)


def test_a_crontab_as_text_becomes_the_librarys_fields() -> None:
    assert cron_fields("30 3 * 1-6 mon") == {
        "minute": "30",
        "hour": "3",
        "day_of_month": "*",
        "month_of_year": "1-6",
        "day_of_week": "mon",
    }


@pytest.mark.parametrize("text", ["", "30 3 * *", "30 3 * * * *", "61 3 * * *", "0 0 31 2 *", "@daily"])
def test_a_text_that_is_no_crontab_is_refused(text: str) -> None:
    with pytest.raises(UnfitSchedule):
        cron_fields(text)


def test_a_fingerprint_is_the_same_however_the_same_is_written() -> None:
    berlin = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    assert fingerprint(cron("*/30 0-23 * * mon-sun")) == fingerprint(cron("0,30 * * * 0-6"))
    assert fingerprint(Every(timedelta(minutes=1))) == fingerprint(Every(timedelta(seconds=60)))
    assert fingerprint(Once(berlin)) == fingerprint(Once(utc(2026, 3, 28, 11)))


def test_different_definitions_have_different_fingerprints() -> None:
    timings = [
        cron("0 3 * * *"),
        cron("3 0 * * *"),
        cron("0 3 * * *", "Europe/Berlin"),
        cron("0 3 * * mon"),
        cron("0 3 * * *", start_time=utc(2026)),
        cron("0 3 * * *", expires=utc(2026)),
        Every(timedelta(days=1)),
        Every(timedelta(days=1, microseconds=1)),
        Every(timedelta(days=1), anchor=utc(2026)),
        Every(timedelta(days=1), end=utc(2026)),
        Once(utc(2026)),
    ]
    assert len({fingerprint(timing) for timing in timings}) == len(timings)


def test_fingerprints_stay_as_they_are() -> None:
    """They are kept in the database: another text would plan every schedule anew."""
    assert fingerprint(cron("*/30 3 * * sun", "Europe/Berlin")) == "cron 0,30 3 * * 0 Europe/Berlin"
    bounded = Every(timedelta(seconds=90), anchor=utc(2026), end=utc(2027))
    assert fingerprint(bounded) == "every 90.0 s from 2026-01-01T00:00:00+00:00 until 2027-01-01T00:00:00+00:00"
    assert fingerprint(Once(utc(2026, 3, 28, 11))) == "once 2026-03-28T11:00:00+00:00"
