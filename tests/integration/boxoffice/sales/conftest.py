"""A show whose seats cost something, and the counting of its sales."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from boxoffice.sales.count_sales import count_sales
from inventory.models import Show
from tests.books import PRICES


@pytest.fixture
def dear_show(make_show: Callable[..., Show]) -> Show:
    """32 seats that cost something."""
    return make_show(prices=PRICES)


@pytest.fixture
def count(db: None) -> Callable[[Show], None]:
    """Count a show as its job does."""

    def run(show: Show) -> None:
        with transaction.atomic():
            count_sales(show_id=show.pk)

    return run
