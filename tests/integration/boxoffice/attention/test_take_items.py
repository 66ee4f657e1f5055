"""Items are taken, given back and settled, each by one at a time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest

from boxoffice.attention import find_items as find_items_module
from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.attention.errors import ItemGone, ItemTaken, MendTheCause, NotYours
from boxoffice.attention.find_items import find_items
from boxoffice.attention.kinds import kind_named
from boxoffice.attention.settle_item import settle_item
from boxoffice.attention.take_item import give_item_back, take_item
from boxoffice.confirm_order import confirm_order
from boxoffice.models import AttentionAction, Order
from inventory.models import Hold
from jobs.clock import database_now
from jobs.models import Job
from tests.attention_items import bounce, fail_tickets, items, kinds
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def test_one_has_it_at_a_time_and_gives_it_back(sold: Order) -> None:
    fail_tickets(sold)
    kind, key = kind_named("tickets"), str(sold.pk)
    assert kind is not None
    take_item(kind=kind, key=key, by="anna")
    take_item(kind=kind, key=key, by="anna")  # pressed twice
    with pytest.raises(ItemTaken, match="anna has taken this"):
        take_item(kind=kind, key=key, by="otto")
    with pytest.raises(NotYours):
        give_item_back(kind=kind, key=key, by="otto")
    assert [item.owner for item in items()] == ["anna"]
    assert items(whose="nobody") == []
    assert len(items(whose="mine", user="anna")) == 1

    take_item(kind=kind, key=key, by="otto", from_owner="anna")
    give_item_back(kind=kind, key=key, by="otto")
    assert [item.owner for item in items()] == [""]
    assert list(AttentionAction.objects.order_by("pk").values_list("action", "by")) == [
        ("take", "anna"), ("take", "otto"), ("give back", "otto"),
    ]  # fmt: skip


def test_a_new_cause_of_the_same_kind_is_nobodys(dead_jobs: DeadJobs) -> None:
    dead_jobs()
    (item,) = items()
    kind = kind_named("dead_jobs")
    assert kind is not None
    take_item(kind=kind, key=item.key, by="anna")
    assert items()[0].owner == "anna"
    Job.objects.all().delete()
    dead_jobs(finished_at=database_now() + timedelta(minutes=1))
    assert items()[0].owner == ""
    take_item(kind=kind, key=item.key, by="otto")
    assert AttentionAction.objects.count() == 2


def test_what_was_settled_by_hand_stays_away_and_only_where_its_cause_may_stay(sold: Order) -> None:
    mail = bounce(sold)
    fail_tickets(sold)
    mails, tickets = kind_named("mails"), kind_named("tickets")
    assert mails is not None
    assert tickets is not None
    settle_item(kind=mails, key=str(mail.pk), by="anna", reason="will fetch them at the counter")
    with pytest.raises(ItemGone):
        settle_item(kind=mails, key=str(mail.pk), by="otto", reason="again")
    with pytest.raises(MendTheCause):
        settle_item(kind=tickets, key=str(sold.pk), by="anna", reason="no")
    assert kinds() == ["tickets"]
    bounce(sold, kind="reminder")
    assert kinds() == ["mails", "tickets"]


def test_a_message_that_is_sent_twice_is_one_and_is_open_until_it_is_settled(sold: Order) -> None:
    number = uuid4()
    assert ask_for_attention(title="Wrong name", text="I am Ada", number=number, email="ada@example.org")
    assert not ask_for_attention(title="Wrong name", text="I am Ada", number=number, email="ada@example.org")
    with pytest.raises(ValueError, match="title and text"):
        ask_for_attention(title=" ", text="?", number=uuid4())
    (item,) = items()
    asked = kind_named("asked")
    assert asked is not None
    settle_item(kind=asked, key=item.key, by="anna", reason="answered")
    assert items() == []


def test_what_somebody_has_taken_is_found_though_many_others_wait(
    make_hold: Callable[..., Hold], monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = [confirm_order(order_id=place(make_hold()).pk) for _ in range(3)]
    Ticket.objects.update(status="failed")
    Job.objects.all().delete()
    tickets = kind_named("tickets")
    assert tickets is not None
    take_item(kind=tickets, key=str(orders[2].pk), by="anna", from_owner="")
    monkeypatch.setattr(find_items_module, "MOST", 1)
    assert [item.owner for item in find_items(kinds=[tickets], whose="mine", user="anna").items] == ["anna"]
