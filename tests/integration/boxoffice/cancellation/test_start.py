"""How a cancellation is begun: which names count as typed, and two who press at one instant."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from boxoffice.cancellation import start
from boxoffice.cancellation.errors import CancelledBefore, NameDiffers
from boxoffice.cancellation.start import cancel_show
from boxoffice.models import Cancellation
from inventory.errors import TransitionRefused
from inventory.models import Hold, Show
from tests.cancelled_shows import WHO_AND_WHY

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def small_show(held_seats: Hold) -> Show:
    return held_seats.show


@pytest.mark.parametrize(
    "typed", ["CAFE\u0301  noir", "\u2068Caf\xe9 Noir\u2069", "caf\xe9\xa0noir", "\uff23af\xe9 noir"]
)
def test_a_name_counts_as_people_read_it_however_a_keyboard_or_a_page_composes_it(small_show: Show, typed: str) -> None:
    Show.objects.filter(pk=small_show.pk).update(title="Caf\xe9 Noir")
    assert cancel_show(show_id=small_show.pk, seen=small_show.version, name=typed, **WHO_AND_WHY).phase == "refunding"


@pytest.mark.parametrize("typed", ["", " ", "\u200b", "Cafe Noir", "Caf\xe9 Noir 2", "CafÃ© Noir"])
def test_a_name_that_only_looks_like_it_or_none_cancels_nothing(small_show: Show, typed: str) -> None:
    Show.objects.filter(pk=small_show.pk).update(title="Caf\xe9 Noir")
    with pytest.raises(NameDiffers):
        cancel_show(show_id=small_show.pk, seen=small_show.version, name=typed, **WHO_AND_WHY)
    assert not Cancellation.objects.exists()


SET_BY_HAND = "The Clockmaker\u2019s \u201eGarden\u201c \u2014 part\u00a02 \u2013 finale"


@pytest.mark.parametrize(
    "typed",
    [
        SET_BY_HAND,
        'The Clockmaker\'s "Garden" - part 2 - finale',
        "the clockmaker\u00b4s 'garden' -- part  2 --- FINALE",
        "The Clockmaker`s \u00abGarden\u00bb \u2212 part 2 \u2010 finale",
    ],
)
def test_a_name_with_marks_that_no_keyboard_has_is_typed_with_those_that_it_has(small_show: Show, typed: str) -> None:
    Show.objects.filter(pk=small_show.pk).update(title=SET_BY_HAND)
    assert cancel_show(show_id=small_show.pk, seen=small_show.version, name=typed, **WHO_AND_WHY).phase == "refunding"


@pytest.mark.parametrize("typed", ["The Clockmakers Garden", 'The Clockmaker\'s "Garden" part 2 finale', "'", "-"])
def test_a_name_without_its_marks_cancels_nothing(small_show: Show, typed: str) -> None:
    Show.objects.filter(pk=small_show.pk).update(title=SET_BY_HAND)
    with pytest.raises(NameDiffers):
        cancel_show(show_id=small_show.pk, seen=small_show.version, name=typed, **WHO_AND_WHY)


def test_who_presses_at_the_same_instant_as_somebody_else_is_told_that_it_is_cancelled(
    small_show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have looked and found it scheduled; the other one commits first."""
    asked: dict[str, Any] = {"show_id": small_show.pk, "seen": small_show.version, "name": small_show.title}
    advance, others = start.advance_show, ["otto"]

    def after_the_other(**given: Any) -> None:
        if others:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(_in_a_thread, lambda: cancel_show(**asked, by=others.pop(), reason="ill")).result(60)
        advance(**given)

    monkeypatch.setattr(start, "advance_show", after_the_other)
    with pytest.raises(CancelledBefore):
        cancel_show(**asked, **WHO_AND_WHY)
    assert Cancellation.objects.get().by == "otto"


def test_who_cancels_a_show_that_was_moved_at_the_same_instant_is_told_that_it_has_changed(
    small_show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = start.advance_show

    def after_a_move(**given: Any) -> None:
        Show.objects.filter(pk=small_show.pk).update(version=small_show.version + 1)
        advance(**given)

    monkeypatch.setattr(start, "advance_show", after_a_move)
    with pytest.raises(TransitionRefused):
        cancel_show(show_id=small_show.pk, seen=small_show.version, name=small_show.title, **WHO_AND_WHY)
    assert not Cancellation.objects.exists()


def _in_a_thread(call: Callable[[], object]) -> None:
    try:
        call()
    finally:
        connection.close()
