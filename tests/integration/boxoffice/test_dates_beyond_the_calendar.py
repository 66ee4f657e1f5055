"""Dates that nobody means are refused at their field wherever staff type one: reckoning would leave the calendar."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from inventory.models import Show

pytestmark = pytest.mark.django_db

FIRST_AND_LAST_THERE_IS = ("0001-01-01", "9999-12-31")


@pytest.mark.parametrize("day", FIRST_AND_LAST_THERE_IS)
@pytest.mark.parametrize(
    ("page", "fields"),
    [
        ("admin:boxoffice_takings_changelist", ("first", "last")),
        ("admin:boxoffice_audittrail_changelist", ("day",)),
    ],
)
def test_a_list_of_such_a_day_says_so(staff: Client, page: str, fields: tuple[str, ...], day: str) -> None:
    assert staff.get(reverse(page), {"period": "own", **dict.fromkeys(fields, day)}).status_code == 200


@pytest.mark.parametrize("day", FIRST_AND_LAST_THERE_IS)
def test_nothing_is_exported_of_such_a_day_and_no_show_is_on_it(staff: Client, show_on_sale: Show, day: str) -> None:
    export = {"kind": "takings", "first": day, "last": day, "number": "5b0b3c0e-2f1e-4c39-9d34-6a70f9f1f0aa"}
    asked = staff.post(reverse("admin:boxoffice_export_changelist"), export).content.decode()
    assert "Type a year from 1900 to 2999." in asked
    show = {
        "starts_at_0": day,
        "starts_at_1": "23:59",
        "plan": show_on_sale.plan_id,
        "title": "Never",
        "currency": "EUR",
    }
    added = staff.post(reverse("admin:inventory_show_add"), show).content.decode()
    assert "Type a year from 1900 to 2999." in added
