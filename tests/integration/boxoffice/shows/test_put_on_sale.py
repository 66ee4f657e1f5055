"""Putting a show on sale from its own page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from inventory.models import PriceTier, Show
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db


def address(show: Show) -> str:
    return reverse("admin:inventory_show_sale", args=[show.pk])


def test_the_page_says_that_no_price_is_set_and_then_what_the_seats_cost(staff: Client, draft_show: Show) -> None:
    assert "every seat is free of charge" in staff.get(address(draft_show)).content.decode()
    tier = PriceTier.objects.filter(show=draft_show).order_by("position")[0]
    PriceTier.objects.filter(pk=tier.pk).update(price=2550)
    page = staff.get(address(draft_show)).content.decode()
    assert "25.50" in page
    assert "Free of charge: " in page


def test_it_is_put_on_sale_once_and_a_page_that_has_grown_old_is_refused(staff: Client, draft_show: Show) -> None:
    change = reverse("admin:inventory_show_change", args=[draft_show.pk])
    assert address(draft_show) in staff.get(change).content.decode()
    stale = staff.post(address(draft_show), {"seen": draft_show.version + 5}, follow=True)
    draft_show.refresh_from_db()
    assert draft_show.status == Show.Status.DRAFT
    assert stale.redirect_chain[-1][0] == change
    done = staff.post(address(draft_show), {"seen": draft_show.version}, follow=True).content.decode()
    assert "is on sale: It sells" in done
    draft_show.refresh_from_db()
    assert draft_show.status == Show.Status.SCHEDULED
    assert address(draft_show) not in done
    assert "is on sale: It sells" not in staff.post(address(draft_show), {"seen": 2}, follow=True).content.decode()


def test_who_may_not_change_shows_puts_none_on_sale(client: Client, draft_show: Show) -> None:
    browser = staff_with(client, "view_show")
    assert browser.get(address(draft_show)).status_code == 403
    assert browser.post(address(draft_show), {"seen": draft_show.version}).status_code == 403


def test_the_list_warns_of_what_costs_nothing(staff: Client, draft_show: Show) -> None:
    PriceTier.objects.filter(show=draft_show).update(price=0)
    sent = {"action": "put_on_sale", "_selected_action": [draft_show.pk]}
    page = staff.post(reverse("admin:inventory_show_changelist"), sent, follow=True).content.decode()
    assert "every seat is free of charge" in page
