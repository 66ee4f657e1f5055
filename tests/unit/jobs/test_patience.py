"""How long a worker waits for a database that is away."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jobs import patience
from jobs.patience import LOOK_SECONDS, SHARED_SECONDS, Patience


class Watch:
    """A clock that stands until a test moves it."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(patience, "time", watch)
    return watch


@pytest.fixture
def two_databases(named_database: Callable[[str], None]) -> None:
    named_database("north")


def test_the_only_database_is_waited_for_as_long_as_a_run_may(watch: Watch) -> None:
    waits = Patience()
    assert waits.seconds("default", longest=30) == 30
    waits.note_away("default", looked_for=0.1)
    assert not waits.is_out("default")
    assert waits.seconds("default", longest=30) == 30


def test_one_of_several_is_waited_for_once_and_then_looked_at_now_and_then(watch: Watch, two_databases: None) -> None:
    waits = Patience()
    assert waits.seconds("north", longest=30) == SHARED_SECONDS
    waits.note_away("north", looked_for=0.01)
    assert waits.is_out("north")
    assert not waits.is_out("default")
    watch.now += LOOK_SECONDS
    assert not waits.is_out("north")
    assert waits.seconds("north", longest=30) == 0
    waits.note_here("north")
    assert waits.seconds("north", longest=30) == SHARED_SECONDS


def test_a_look_that_takes_long_is_taken_more_seldom(watch: Watch, two_databases: None) -> None:
    waits = Patience()
    waits.note_away("north", looked_for=1.5)
    watch.now += 14
    assert waits.is_out("north")
    watch.now += 1
    assert not waits.is_out("north")
