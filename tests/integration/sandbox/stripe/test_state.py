"""What the stand-in keeps: whole or not at all, and not for ever."""

from __future__ import annotations

import pytest

from sandbox.stripe import state as module
from sandbox.stripe.state import Body, State


def event(number: int) -> Body:
    return {"id": f"evt_{number}", "object": "event", "created": number}


def add_and_raise(state: State, number: int) -> None:
    with state.changing():
        state.add(event(number))
        raise RuntimeError


def test_what_was_begun_inside_can_be_undone_alone() -> None:
    state = State(None)
    with state.changing():
        state.add(event(1))
        with pytest.raises(RuntimeError):
            add_and_raise(state, 2)
    assert state.find("event", "evt_1")
    assert state.find("event", "evt_2") is None


def test_nothing_is_kept_of_what_was_not_finished() -> None:
    state = State(None)

    def half() -> None:
        with state.changing():
            with state.changing():
                state.add(event(1))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert state.find("event", "evt_1") is None


def test_the_oldest_objects_and_deliveries_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_OBJECTS", 10)
    monkeypatch.setattr(module, "TRIM_EVERY", 5)
    state = State(None)
    for number in range(1, 31):
        state.add(event(number))
        state.rows(
            "INSERT INTO deliveries (event, type, url, state, created_at, due_at, turn) "
            "VALUES (?, '', '', '', 0, 0, 0)",
            (f"evt_{number}",),
        )
    kept = [row["id"] for row in state.rows("SELECT id FROM objects ORDER BY seq")]
    assert kept == [f"evt_{number}" for number in range(21, 31)]
    assert state.rows("SELECT count(*) AS count FROM deliveries")[0]["count"] <= 15


def test_an_object_falls_due_once_its_time_has_come() -> None:
    state = State(None)
    state.add(event(1), due_at=200)
    state.add(event(2), due_at=100)
    assert state.due(99) is None
    first = state.due(250)
    assert first is not None
    assert first["id"] == "evt_2"
    state.save(first)
    second = state.due(250)
    assert second is not None
    assert second["id"] == "evt_1"
