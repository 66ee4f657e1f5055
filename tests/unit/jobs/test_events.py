"""An event is named after the app and the class, whatever module it stands in."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import pytest

from jobs.events import Event


@dataclass(frozen=True)
class OrderConfirmed(Event):
    order_id: int


def test_the_name_is_the_apps_and_the_classs() -> None:
    OrderConfirmed.__module__ = "boxoffice.events"
    assert OrderConfirmed.name() == "boxoffice.OrderConfirmed"
    OrderConfirmed.__module__ = "boxoffice.deeper.events"
    assert OrderConfirmed.name() == "boxoffice.OrderConfirmed"


def test_an_event_is_about_nothing_unless_it_says_so() -> None:
    assert OrderConfirmed(order_id=1).subject() == ""


def test_what_has_happened_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        OrderConfirmed(order_id=1).order_id = 2  # type: ignore[misc]
