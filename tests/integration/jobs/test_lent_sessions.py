"""A session that a web process lends from its pool is found by the next request as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection

from jobs.session import Backend, engine_session

pytestmark = pytest.mark.django_db(transaction=True)

SET = "SELECT current_setting('synchronous_commit'), current_setting('lock_timeout')"


def settings_of_session() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(SET)
        return cursor.fetchone()


@pytest.fixture
def pooled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process pools its sessions, as ``config/settings/database.py`` has a web process do."""
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", {"min_size": 1, "max_size": 2})
    yield
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]


def test_the_engine_sets_nothing_in_a_session_of_a_pool_and_relies_on_no_backend(pooled: None) -> None:
    as_it_was = settings_of_session()

    assert engine_session("default") == Backend(None, None)
    assert settings_of_session() == as_it_was
    assert as_it_was[0] == "on"


def test_in_a_session_of_its_own_it_sets_what_the_engine_needs() -> None:
    connection.close()
    try:
        assert engine_session("default").pid is not None
        assert settings_of_session()[0] == "off"
    finally:
        connection.close()
