"""Putting seats aside and back: the services, and the page that asks."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from boxoffice.confirm_order import confirm_order
from boxoffice.models import ShowAction
from boxoffice.shows.errors import NothingPutAside, NothingPutBack
from boxoffice.shows.put_aside import put_aside, put_back
from inventory.advance_show import advance_show
from inventory.errors import SeatsTaken, TransitionRefused
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Seat, Show
from jobs.errors import ReasonMissing
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import seat_ids, statuses
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

WHY = {"by": "anna", "reason": "for the sound desk"}


def seen(show: Show, *guids: str) -> dict[int, int]:
    return dict(Seat.objects.filter(show=show, guid__in=guids).values_list("pk", "version"))


def test_seats_that_are_put_aside_cannot_be_had_until_they_are_put_back(show_on_sale: Show) -> None:
    put_aside(show_id=show_on_sale.pk, seen=seen(show_on_sale, "B-1", "B-2"), **WHY)
    with pytest.raises(SeatsTaken):
        hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1"))
    put_back(show_id=show_on_sale.pk, seen=seen(show_on_sale, "B-1", "B-2"), **WHY)
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1", "B-2"))
    assert [action.action for action in ShowAction.objects.order_by("pk")] == ["block", "unblock"]


def test_what_is_held_or_sold_stays(show_on_sale: Show, held_seats: Hold) -> None:
    sold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "B-1", "B-2"))
    confirm_order(order_id=place(sold).pk)
    named = seen(show_on_sale, "A-1", "A-2", "A-3", "B-1")
    done = put_aside(show_id=show_on_sale.pk, seen=named, **WHY)
    assert [seat.guid for seat in done] == ["A-3"]
    stand = statuses(show_on_sale)
    assert [stand[guid] for guid in ("A-1", "A-2", "A-3", "B-1")] == ["held", "held", "blocked", "sold"]
    assert ShowAction.objects.get().details == {"seats": ["Stalls, row A, seat 3"]}


def test_a_seat_of_a_lapsed_hold_is_free_to_be_put_aside_and_its_hold_ends(
    show_on_sale: Show, lapsed_hold: Hold
) -> None:
    put_aside(show_id=show_on_sale.pk, seen=seen(show_on_sale, "A-1"), **WHY)
    stand = statuses(show_on_sale)
    assert (stand["A-1"], stand["A-2"]) == ("blocked", "available")
    lapsed_hold.refresh_from_db()
    assert lapsed_hold.status == Hold.Status.EXPIRED


def test_a_page_that_is_sent_twice_does_it_once_also_when_the_seat_was_put_back_between(show_on_sale: Show) -> None:
    page = seen(show_on_sale, "A-1")
    put_aside(show_id=show_on_sale.pk, seen=page, **WHY)
    with pytest.raises(NothingPutAside):
        put_aside(show_id=show_on_sale.pk, seen=page, **WHY)
    put_back(show_id=show_on_sale.pk, seen=seen(show_on_sale, "A-1"), **WHY)
    with pytest.raises(NothingPutAside):
        put_aside(show_id=show_on_sale.pk, seen=page, **WHY)
    with pytest.raises(NothingPutBack):
        put_back(show_id=show_on_sale.pk, seen=seen(show_on_sale, "A-1"), **WHY)
    assert ShowAction.objects.count() == 2


def test_nothing_is_put_aside_of_a_cancelled_show_nor_without_a_reason(show_on_sale: Show) -> None:
    with pytest.raises(ReasonMissing):
        put_aside(show_id=show_on_sale.pk, seen=seen(show_on_sale, "A-1"), by="anna", reason=" ")
    advance_show(show_id=show_on_sale.pk, to=Show.Status.CANCELLED)
    with pytest.raises(TransitionRefused):
        put_aside(show_id=show_on_sale.pk, seen=seen(show_on_sale, "A-1"), **WHY)
    assert statuses(show_on_sale)["A-1"] == "available"


def test_the_trail_of_a_show_is_never_changed_and_outlives_a_draft(draft_show: Show, staff: Client) -> None:
    put_aside(show_id=draft_show.pk, seen=seen(draft_show, "A-1"), **WHY)
    with pytest.raises(IntegrityError), transaction.atomic():
        ShowAction.objects.update(reason="another")
    staff.post(reverse("admin:inventory_show_delete", args=[draft_show.pk]), {"post": "yes"})
    assert not Show.objects.filter(pk=draft_show.pk).exists()
    assert ShowAction.objects.get().reason == "for the sound desk"


def test_the_page_asks_once_says_what_stays_and_does_it(staff: Client, show_on_sale: Show, held_seats: Hold) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_on_sale.pk])
    asked = staff.get(address, {"what": "aside", "seats": "A 1-4"})
    text = asked.content.decode()
    assert "Stalls, row A: 3–4" in text
    assert "Being bought just now, and stay so: Stalls, row A: 1–2" in text
    sent = {
        name: [value for key, value in asked.context["hidden"] if key == name] for name in ("what", "named", "seat")
    }
    fields = {"reason": "for the sound desk", **sent}
    done = staff.post(address, fields, follow=True)
    assert "Put aside: Stalls, row A: 3–4." in done.content.decode()
    again = staff.post(address, fields, follow=True)
    assert "nothing was changed" in again.content.decode()
    assert ShowAction.objects.get().by == "operator"
    story = staff.get(reverse("admin:inventory_show_change", args=[show_on_sale.pk])).content.decode()
    assert "for the sound desk" in story


def test_a_name_of_no_seat_is_said_at_the_field(staff: Client, show_on_sale: Show) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_on_sale.pk])
    assert "There is no seat" in staff.get(address, {"what": "aside", "seats": "Z 99"}).content.decode()
    assert "Put aside already" not in staff.get(address, {"what": "back", "seats": "A 1"}).content.decode()


def test_who_may_not_put_seats_aside_is_refused(client: Client, show_on_sale: Show) -> None:
    address = reverse("admin:inventory_show_aside", args=[show_on_sale.pk])
    browser = staff_with(client, "view_show", "change_show")
    assert browser.get(address).status_code == 403
    sent = {"what": "aside", "seat": [f"{key}.{value}" for key, value in seen(show_on_sale, "A-1").items()]}
    assert browser.post(address, {**sent, "reason": "why"}).status_code == 403
    assert statuses(show_on_sale)["A-1"] == "available"
