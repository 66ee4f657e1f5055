"""Each setting that takes a pooled session for one's own trips its check, and so do more databases than fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.db import connection

from jobs.checks.databases import check_databases

AS_SET_UP = {"POOLER": "transaction", "DISABLE_SERVER_SIDE_CURSORS": True}


def errors() -> set[str]:
    return {str(found.id) for found in check_databases(None)}


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The default database as ``DATABASE_POOLER=transaction`` sets it up; a test spoils it."""
    for name, value in {**AS_SET_UP, "OPTIONS": {"connect_timeout": 5}}.items():
        monkeypatch.setitem(connection.settings_dict, name, value)
    return connection.settings_dict


def test_a_database_behind_a_pooler_that_is_set_up_for_it_trips_nothing(declared: dict[str, Any]) -> None:
    assert errors() == set()


@pytest.mark.parametrize(
    ("expected", "option"),
    [("jobs.E061", {"options": "-c lock_timeout=5s"}), ("jobs.E062", {"prepare_threshold": 2})],
)
def test_an_option_that_lives_in_a_session_is_refused_behind_a_pooler(
    expected: str, option: dict[str, Any], declared: dict[str, Any]
) -> None:
    declared["OPTIONS"] |= option
    assert errors() == {expected}
    declared["POOLER"] = "none"
    assert errors() == set()


def test_cursors_of_the_server_are_refused_behind_a_pooler(declared: dict[str, Any]) -> None:
    declared["DISABLE_SERVER_SIDE_CURSORS"] = False
    assert errors() == {"jobs.E063"}


def test_databases_whose_windows_do_not_fit_into_one_queue_together_are_refused(
    settings: Any, named_database: Callable[[str], None]
) -> None:
    settings.LEDGER_QUEUES = (replace(settings.LEDGER_QUEUES[0], window=2000),)
    assert errors() == set()
    for alias in ("north", "south"):
        named_database(alias)
    assert errors() == {"jobs.E060"}
