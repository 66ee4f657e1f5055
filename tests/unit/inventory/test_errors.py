"""Every refusal tells the fan what to do, in the fan's language, with a status that a page can answer with."""

from __future__ import annotations

import pytest

from inventory import errors
from inventory.errors import InventoryError, NotEnoughSeats, NotOnSale, PlanRefused, SeatsTaken, TooManySeats
from jobs.errors import PermanentError

ALL = [error for error in vars(errors).values() if isinstance(error, type) and issubclass(error, InventoryError)]


@pytest.mark.parametrize("error", ALL, ids=lambda error: error.__name__)
def test_every_error_has_a_sentence_and_a_status(error: type[InventoryError]) -> None:
    assert error.__doc__
    assert error.__doc__ != (error.__base__.__doc__ if error.__base__ else "")
    assert error.__doc__.count(". ") >= 1, "say what happened, and what to do"
    assert error.__doc__.endswith(".")
    assert error.status_code in {404, 409, 410, 422}
    assert issubclass(error, PermanentError)


def test_without_words_of_its_own_an_error_says_its_docstring() -> None:
    assert str(NotOnSale()) == "Tickets for this show are not on sale. Choose another show."


def test_figures_are_put_into_words() -> None:
    assert str(TooManySeats(limit=1)) == "You can take 1 seat at once. Choose fewer."
    assert str(NotEnoughSeats(free=1)) == "Only 1 seat is left at this price. Choose fewer, or another price."
    assert str(SeatsTaken(["row A, seat 1", "row A, seat 2"])) == (
        "These seats have just been taken: row A, seat 1; row A, seat 2. Choose others."
    )
    assert str(PlanRefused(path="", problem="The file is empty.")) == "The file is empty."
