"""Which queues call which provider, as the tables say."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.destinations import Destination, called_from, queues_calling
from jobs.flow.allowance import is_used_up

TASKS = {"probe.ask": "urgent", "probe.ask_many": "many", "probe.tell_many": "many", "probe.count": "home"}


@pytest.fixture(autouse=True)
def _tables(settings: Any) -> None:
    settings.LEDGER_TASKS = {**TASKS, "probe.write": "mixed", "probe.ask_aside": "mixed"}
    settings.LEDGER_DESTINATIONS = (
        Destination("bank", purpose="A test.", tasks=("probe.ask", "probe.ask_many", "probe.ask_aside")),
        Destination("mail", purpose="A test.", tasks=("probe.tell_many",)),
    )


def test_a_destination_has_the_queues_of_its_tasks() -> None:
    assert queues_calling("bank") == {"urgent", "many", "mixed"}
    assert queues_calling("mail") == {"many"}
    assert queues_calling("gone") == queues_calling("") == frozenset()


def test_a_queue_calls_whom_its_tasks_call_and_nobody_where_one_calls_nobody() -> None:
    assert called_from("many") == {"bank", "mail"}
    assert called_from("mixed") == {"bank", ""}
    assert called_from("home") == called_from("unknown") == {""}


@pytest.mark.parametrize(
    ("queue", "allowance", "used_up"),
    [
        ("urgent", {"bank": 0, "mail": 5}, True),
        ("urgent", {"bank": 1}, False),
        ("urgent", {}, False),
        ("many", {"bank": 0, "mail": 5}, False),
        ("many", {"bank": 0, "mail": 0}, True),
        ("mixed", {"bank": 0}, False),
        ("home", {"bank": 0, "mail": 0}, False),
    ],
)
def test_a_relay_passes_over_a_queue_only_where_none_of_its_jobs_may_go_out(
    queue: str, allowance: dict[str, int], used_up: bool
) -> None:
    assert is_used_up(queue, allowance=allowance) is used_up
