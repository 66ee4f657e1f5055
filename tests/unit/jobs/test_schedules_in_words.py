"""When a schedule is due, as staff read it, and the due times that they check it by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils.translation import override
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from jobs.schedules.in_words import timing_in_words
from jobs.schedules.preview import due_times

FIELDS = ("minute", "hour", "day_of_month", "month_of_year", "day_of_week")


def every(count: int, period: str) -> PeriodicTask:
    return PeriodicTask(interval=IntervalSchedule(every=count, period=period))


def cron(text: str, zone: str = "Europe/Berlin", **given: object) -> PeriodicTask:
    fields = dict(zip(FIELDS, text.split(), strict=True))
    return PeriodicTask(crontab=CrontabSchedule(**fields, timezone=zone), **given)


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (every(30, "seconds"), "every 30 seconds"),
        (every(1, "seconds"), "every second"),
        (every(90, "seconds"), "every 90 seconds"),
        (every(120, "seconds"), "every 2 minutes"),
        (every(60, "minutes"), "every hour"),
        (every(24, "hours"), "every day"),
        (every(2, "days"), "every 2 days"),
        (every(5, "microseconds"), "every 5 microseconds"),
        (every(2147483647, "days"), "No interval is 2147483647 days long."),
        (every(1, "fortnight"), "No interval is 1 fortnight long."),
        (cron("30 2 * * *"), "daily at 02:30, Berlin time"),
        (cron("30 2 * * *", "UTC"), "daily at 02:30, UTC"),
        (cron("0 6,18 * * *", "America/New_York"), "daily at 06:00, 18:00, New York time"),
        (cron("0 9 * * 1-5"), "Monday to Friday at 09:00, Berlin time"),
        (cron("0 9 * * 0"), "Sunday at 09:00, Berlin time"),
        (cron("0 9 * * fri-sun"), "Friday to Sunday at 09:00, Berlin time"),
        (cron("0 9 * * 1,4"), "Monday, Thursday at 09:00, Berlin time"),
        (cron("0 9 * * 0-6"), "daily at 09:00, Berlin time"),
        (cron("0 9 * * 7"), "Sunday at 09:00, Berlin time"),
        (cron("15 3 1,15 * *"), "on day 1, 15 of each month at 03:15, Berlin time"),
        (cron("15 3 24 12 *"), "each year in December, on day 24 at 03:15, Berlin time"),
        (cron("*/30 2 * * *"), "daily at 02:00, 02:30, Berlin time"),
        (cron("10,40 * * * *"), "every hour at minute 10, 40, Berlin time"),
        (cron("*/5 9-17 * * *"), "by the crontab */5 9-17 * * *, Berlin time"),
        (cron("0 9 1 1,7 *"), "by the crontab 0 9 1 1,7 *, Berlin time"),
        (cron("*/5 * * * *"), "every 5 minutes, Berlin time"),
        (cron("* * * * *"), "every minute, Berlin time"),
        (cron("0 * * * *"), "every hour at minute 0, Berlin time"),
        (cron("0 0 30 2 *"), "by the crontab 0 0 30 2 *, Berlin time"),
        (cron("*/7 * * * *"), "by the crontab */7 * * * *, Berlin time"),
        (cron("*/0 * * * *"), "by the crontab */0 * * * *, Berlin time"),
        (cron("0 9 1-7 * 1"), "by the crontab 0 9 1-7 * 1, Berlin time"),
        (cron("x y z * q"), "by the crontab x y z * q, Berlin time"),
        (cron("0 9 * * q"), "by the crontab 0 9 * * q, Berlin time"),
        (cron("30 2 * * *", one_off=True), "daily at 02:30, Berlin time, only once"),
        (
            PeriodicTask(
                clocked=ClockedSchedule(clocked_time=datetime(2026, 12, 12, 19, 30, tzinfo=UTC)), one_off=True
            ),
            "once, on Sat 12 Dec 2026, 19:30 UTC",
        ),
        (PeriodicTask(solar=SolarSchedule(pk=1, event="sunset")), "never: by the sun, which no ledger knows"),
        (PeriodicTask(), "never: no time is given"),
    ],
)
def test_a_timing_is_told_in_a_short_sentence(task: PeriodicTask, words: str) -> None:
    assert timing_in_words(task) == words


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (every(30, "seconds"), "alle 30 Sekunden"),
        (cron("30 2 * * *"), "täglich um 02:30, Ortszeit Berlin"),
        (cron("0 9 * * 1-5"), "Montag bis Freitag um 09:00, Ortszeit Berlin"),
        (cron("15 3 24 12 *"), "jedes Jahr im Dezember, am Tag 24 um 03:15, Ortszeit Berlin"),
    ],
)
def test_it_is_told_in_german_too(task: PeriodicTask, words: str) -> None:
    with override("de"):
        assert timing_in_words(task) == words


def test_the_due_times_around_a_change_of_the_clock_say_what_is_unusual_about_the_day() -> None:
    daily = cron("30 2 * * *")
    spring = due_times(daily, now=datetime(2027, 3, 26, 12, tzinfo=UTC))
    assert [f"{due.local:%d %H:%M} {due.at:%H:%M} {due.note}".strip() for due in spring] == [
        "27 02:30 01:30",
        "28 03:30 01:30 The clock is put forward that day.",
        "29 02:30 00:30",
        "30 02:30 00:30",
        "31 02:30 00:30",
    ]
    autumn = due_times(daily, now=datetime(2026, 10, 24, 12, tzinfo=UTC))
    assert [f"{due.local:%d %H:%M} {due.at:%H:%M} {due.note}".strip() for due in autumn[:2]] == [
        "25 02:30 00:30 The clock is put back that day.",
        "26 02:30 01:30",
    ]


def test_what_ends_or_cannot_be_planned_has_fewer_due_times_or_none() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    ends = every(1, "hours")
    ends.expires = datetime(2026, 11, 30, 14, 30, tzinfo=UTC)
    assert [due.at.hour for due in due_times(ends, now=noon)] == [13, 14]
    assert due_times(cron("0 0 30 2 *"), now=noon) == []
    assert due_times(PeriodicTask(), now=noon) == []
    assert due_times(every(5, "microseconds"), now=noon) == []


def test_the_last_second_that_there_is_can_be_shown() -> None:
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    task = PeriodicTask(clocked=ClockedSchedule(clocked_time=last))
    assert [(due.at, due.note) for due in due_times(task, now=datetime(2026, 1, 1, tzinfo=UTC))] == [(last, "")]
