"""A show that paula promotes."""

from __future__ import annotations

from typing import Any

import pytest

from boxoffice.models import Promotion
from inventory.models import Show


@pytest.fixture
def paulas_show(show_on_sale: Show, promoter_paula: Any) -> Show:
    Promotion.objects.create(show=show_on_sale, promoter=promoter_paula)
    return show_on_sale
