"""A table of periodic jobs that cannot run stops the start, instead of a job that dies each night."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from config.schedule import SCHEDULE
from jobs.checks.schedule import check_schedule
from jobs.periodic import Periodic
from jobs.queues import WrongTable

A_MINUTE = timedelta(minutes=1)


def problems() -> list[str | None]:
    return [problem.id for problem in check_schedule(None)]


def periodic(name: str = "a", task: str = "probe.leave_a_mark", **fields: Any) -> Periodic:
    return Periodic(name, task=task, why="A test.", **{"every": A_MINUTE, "args": {"key": "x"}, **fields})


def test_the_table_is_in_order(settings: Any) -> None:
    settings.LEDGER_SCHEDULE = SCHEDULE
    assert problems() == []


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ((periodic("a"), periodic("a")), "jobs.E080"),
        ((periodic(""),), "jobs.E080"),
        ((periodic(task="probe.nobody_knows_it", args={}),), "jobs.E081"),
        ((periodic(args={}),), "jobs.E082"),
        ((periodic(args={"key": "x", "colour": "red"}),), "jobs.E082"),
        ((periodic(every=None, cron="61 2 * * *"),), "jobs.E083"),
        ((periodic(every=None, cron="0 2 30 2 *"),), "jobs.E083"),
    ],
)
def test_what_cannot_run_is_refused(settings: Any, table: tuple[Periodic, ...], problem: str) -> None:
    settings.LEDGER_SCHEDULE = table
    assert problems() == [problem]


@pytest.mark.parametrize(
    "fields",
    [
        {"every": None},
        {"every": A_MINUTE, "cron": "0 2 * * *"},
        {"every": timedelta(milliseconds=1500)},
        {"every": None, "cron": "0 2 * *"},
        {"every": None, "cron": "0 2 * * *", "zone": "Europe/Nowhere"},
        {"catch_up": "twice"},
        {"priority": 10},
    ],
)
def test_a_line_that_makes_no_sense_is_refused_where_it_stands(fields: dict[str, Any]) -> None:
    with pytest.raises(WrongTable, match="Periodic job a"):
        periodic(**fields)
