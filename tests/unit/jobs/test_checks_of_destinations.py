"""A table of providers that cannot work, or lets a slow one hold up others, stops the start."""

from __future__ import annotations

from typing import Any

import pytest

from jobs.checks.destinations import check_destinations
from jobs.destinations import Destination, destination_named, destination_of

ASK = "probe.ask"


def problems() -> list[str | None]:
    return [problem.id for problem in check_destinations(None)]


def listed(settings: Any, *destinations: Destination) -> None:
    settings.LEDGER_DESTINATIONS = destinations


def test_the_tables_are_in_order() -> None:
    assert problems() == []


def test_a_task_has_the_destination_that_lists_it(settings: Any) -> None:
    listed(settings, Destination("here", purpose="A test.", tasks=(ASK,)))
    assert (destination_of(ASK), destination_of("probe.call")) == ("here", "")
    assert destination_named("here") == settings.LEDGER_DESTINATIONS[0]
    assert destination_named("gone") is None


@pytest.mark.parametrize(
    ("destinations", "problem"),
    [
        ([("a", ASK), ("a", "probe.charge")], "jobs.E070"),
        ([("a", ASK), ("b", ASK)], "jobs.E071"),
        ([("a", "probe.nobody_knows_it")], "jobs.E072"),
        ([("a", "inventory.nobody")], "jobs.E072"),
    ],
)
def test_what_a_table_cannot_mean_is_refused(settings: Any, destinations: list[tuple[str, str]], problem: str) -> None:
    listed(settings, *(Destination(name, purpose="A test.", tasks=(task,)) for name, task in destinations))
    assert problems() == [problem]


def test_a_provider_may_not_be_called_by_workers_that_fetch_in_advance(settings: Any) -> None:
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, ASK: "default"}
    listed(settings, Destination("here", purpose="A test.", tasks=(ASK,)))
    assert problems() == ["jobs.E073"]


def test_a_provider_is_called_from_one_pool(settings: Any) -> None:
    """Published jobs of a pool without workers would keep the places of its lane, and nothing of the other would go."""
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, "probe.charge": "messages"}
    listed(settings, Destination("here", purpose="A test.", tasks=(ASK, "probe.charge"), timeout_seconds=1))
    assert problems() == ["jobs.E074"]


@pytest.mark.parametrize(("timeout", "found"), [(None, ["jobs.E075"]), (45, ["jobs.E075"]), (44, [])])
def test_whoever_is_called_from_threads_answers_within_the_soft_limit(
    settings: Any, timeout: float | None, found: list[str]
) -> None:
    settings.LEDGER_TASKS = {**settings.LEDGER_TASKS, ASK: "messages"}
    listed(settings, Destination("here", purpose="A test.", tasks=(ASK,), timeout_seconds=timeout))
    assert problems() == found


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": 0.0},
        {"share": 1.5},
        {"failures_to_open": 1},
        {"first_wait_seconds": 0.0},
        {"first_wait_seconds": 61.0},
    ],
)
def test_a_destination_whose_bounds_do_not_fit_together_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Destination here: "):
        Destination("here", purpose="A test.", tasks=(ASK,), **wrong)
