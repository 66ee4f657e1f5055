"""What a task of today makes of a job of yesterday."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from jobs.dead.fit import _unbound, names_of


def order(*, order_id: int, order_code: str = "") -> None: ...
def event(*, order_id: int, **_event: object) -> None: ...
def positional(order_id: int, code: str) -> None: ...
def nothing() -> None: ...


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (order, ["order_id"]),
        (order, ["order_code", "order_id"]),
        (event, ["anything", "order_id"]),
        (positional, ["code", "order_id"]),
        (nothing, []),
    ],
)
def test_arguments_that_the_body_takes_fit(body: Callable[..., None], names: list[str]) -> None:
    assert _unbound(inspect.signature(body), names) == ""


@pytest.mark.parametrize(
    ("body", "names", "why"),
    [
        (order, [], "The job lacks the argument order_id."),
        (order, ["order_id", "seats"], "The task does not take the job's argument seats."),
        (event, ["anything"], "The job lacks the argument order_id."),
        (positional, [], "The job lacks the arguments order_id, code."),
        (nothing, ["a", "b"], "The task does not take the job's arguments a, b."),
        (order, ["order"], "The job lacks the argument order_id. The task does not take the job's argument order."),
    ],
)
def test_arguments_that_do_not_fit_are_named(body: Callable[..., None], names: list[str], why: str) -> None:
    assert _unbound(inspect.signature(body), names) == why


def test_arguments_that_are_no_object_have_no_names() -> None:
    assert names_of([1, 2]) is None
    assert names_of({"b": 1, "a": 2}) == ["a", "b"]
