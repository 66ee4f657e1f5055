"""Postponing a show: nobody is told by it, the page says so before and after, and leads to what does tell."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.models import Order, ShowAction
from boxoffice.shows.postpone_show import postpone_show
from inventory.advance_show import advance_show
from inventory.errors import TransitionRefused
from inventory.models import Show
from jobs.errors import ReasonMissing
from notifications.models import Notification
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "the singer is ill"}


def page_of(show: Show) -> str:
    return reverse("admin:inventory_show_postpone", args=[show.pk])


def seen(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    return answer.content.decode()


def test_the_page_says_that_nobody_is_told_before_it_does_it_and_offers_what_tells(
    staff: Client, order_with_tickets: Order
) -> None:
    show = order_with_tickets.show
    asks = seen(staff, page_of(show))
    assert "1 order has tickets, and nobody is told of it by this." in asks
    assert "Postpone and tell nobody" in asks
    assert reverse("admin:inventory_show_move", args=[show.pk]) in asks
    assert f"/admin/boxoffice/export/?kind=attendees&amp;show={show.pk}" in asks

    form = {"seen": show.version, "reason": "the singer is ill"}
    page = staff.post(page_of(show), form, follow=True).content.decode()

    show.refresh_from_db()
    assert show.status == "postponed"
    assert "The show is postponed, and nobody was told." in page
    assert "Postponed: 1 order has tickets, and no mail has told of it." in page
    assert not Notification.objects.filter(kind="show_moved").exists()
    action = ShowAction.objects.get()
    assert (action.action, action.by, action.reason) == ("postpone", "operator", "the singer is ill")


def test_a_show_that_nobody_has_tickets_for_is_postponed_without_an_alarm(staff: Client, show_on_sale: Show) -> None:
    asks = seen(staff, page_of(show_on_sale))
    assert "Nobody has tickets." in asks
    assert "tell nobody" not in asks
    form = {"seen": show_on_sale.version, "reason": "the hall is wet"}
    page = staff.post(page_of(show_on_sale), form, follow=True).content.decode()
    assert "The show is postponed." in page
    assert "no mail has told" not in page


def test_the_list_has_no_way_that_postpones_without_asking(staff: Client, show_on_sale: Show) -> None:
    listing = seen(staff, reverse("admin:inventory_show_changelist"))
    assert 'value="put_on_sale"' in listing
    assert 'value="postpone"' not in listing


def test_pressed_twice_it_is_postponed_once_and_a_page_from_before_postpones_nothing(show_on_sale: Show) -> None:
    before = show_on_sale.version
    postpone_show(show_id=show_on_sale.pk, seen=before, **WHY)
    with pytest.raises(TransitionRefused):
        postpone_show(show_id=show_on_sale.pk, seen=before, **WHY)
    advance_show(show_id=show_on_sale.pk, to=Show.Status.SCHEDULED)
    with pytest.raises(TransitionRefused):
        postpone_show(show_id=show_on_sale.pk, seen=before, **WHY)
    assert ShowAction.objects.count() == 1
    show_on_sale.refresh_from_db()
    assert show_on_sale.status == "scheduled"


def test_without_a_reason_or_for_a_draft_nothing_is_postponed(staff: Client, draft_show: Show) -> None:
    with pytest.raises(ReasonMissing):
        postpone_show(show_id=draft_show.pk, seen=draft_show.version, by="anna", reason=" ")
    with pytest.raises(TransitionRefused):
        postpone_show(show_id=draft_show.pk, seen=draft_show.version, **WHY)
    assert staff.get(page_of(draft_show)).status_code == 302
    assert not ShowAction.objects.exists()


def test_who_may_not_move_shows_may_not_postpone_them(client: Client, show_on_sale: Show) -> None:
    viewer = staff_with(client, "view_show", "change_show")
    assert viewer.get(page_of(show_on_sale)).status_code == 403
    assert page_of(show_on_sale) not in seen(viewer, reverse("admin:inventory_show_change", args=[show_on_sale.pk]))
