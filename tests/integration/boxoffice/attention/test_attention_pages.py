"""The list of what needs attention, for each role, and the number in the header."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from boxoffice.attention import find_items as find_items_module
from boxoffice.attention.find_items import count_items, find_items
from boxoffice.attention.kinds import kind_named, kinds_for
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order
from boxoffice.roles.table import FINANCE, OPERATOR, SUPPORT
from boxoffice.templatetags import attention as attention_tag
from inventory.models import Hold
from jobs.clock import database_now
from jobs.models import Job, Pause, QueueLoad, Schedule
from tests.attention_items import LIST, bounce, fail_tickets, items, kinds, refund_of
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_desk import login_as
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def test_each_role_sees_and_takes_what_is_its_own(
    sold: Order, dead_jobs: DeadJobs, client: Client, schedules: Callable[..., Any]
) -> None:
    fail_tickets(sold)
    mail = bounce(sold)
    refund_of(sold)
    dead_jobs()
    schedules("late one")
    Schedule.objects.update(next_run_at=database_now() - timedelta(minutes=5))
    seen = {}
    for role in (SUPPORT, FINANCE, OPERATOR):
        browser = login_as(Client(), role=role)
        page = browser.get(reverse(LIST))
        seen[role] = sorted({row.item.kind for row in page.context["rows"]})
        if role != SUPPORT:
            assert "ada@example.org" not in page.content.decode()
            take = {"kind": "mails", "key": str(mail.pk)}
            assert browser.post(reverse("admin:boxoffice_attention_take"), take).status_code == 403
    assert seen == {
        SUPPORT: ["dead_jobs", "mails", "refunds", "tickets"],
        FINANCE: ["refunds"],
        OPERATOR: ["dead_jobs", "schedules", "tickets"],
    }


def test_a_queue_that_breaks_its_promise_is_in_the_header_of_every_page_until_it_is_in_time_or_paused(
    sold: Order, client: Client
) -> None:
    browser = login_as(client, role=OPERATOR)
    late = QueueLoad.objects.create(queue="payments", oldest_seconds=3600, ready=1)
    assert "Needs attention: 1" in browser.get(reverse("admin:index")).content.decode()
    page = browser.get(reverse(LIST)).content.decode()
    assert "Queue payments is late" in page
    assert reverse("admin:jobs_queueload_changelist") in page
    pause = Pause.objects.create(kind="queue", name="payments", by="anna", reason="moves")
    assert items() == []
    pause.delete()
    QueueLoad.objects.filter(pk=late.pk).update(oldest_seconds=1)
    assert items() == []
    # Nobody has measured since, and it was due then.
    QueueLoad.objects.filter(pk=late.pk).update(at=database_now() - timedelta(hours=1))
    assert kinds() == ["promises"]


def test_the_pages_take_settle_and_count(sold: Order, staff: Client) -> None:
    mail = bounce(sold)
    refund_of(sold)
    about = {"kind": "mails", "key": str(mail.pk), "at_kind": "mails"}
    assert "Needs attention: 2" in staff.get(reverse("admin:index")).content.decode()
    answer = staff.post(reverse("admin:boxoffice_attention_take"), about, follow=True)
    assert "You have taken it." in answer.content.decode()
    assert answer.redirect_chain == [(f"{reverse(LIST)}?kind=mails", 302)]
    settle = reverse("admin:boxoffice_attention_settle")
    assert "Settle this?" in staff.get(settle, about).content.decode()
    assert "This field is required" in staff.post(settle, about).content.decode()
    assert "It is settled." in staff.post(settle, {**about, "reason": "rang"}, follow=True).content.decode()
    assert "rang" in staff.get(reverse(LIST), {"settled": "1"}).content.decode()
    assert "Needs attention: 1" in staff.get(reverse("admin:index")).content.decode()


def test_a_page_takes_as_many_queries_for_many_items_as_for_few(
    make_hold: Callable[..., Hold], staff: Client, django_assert_max_num_queries: Any
) -> None:
    for _ in range(6):
        order = confirm_order(order_id=place(make_hold()).pk)
        fail_tickets(order)
        bounce(order)
        refund_of(order)
    with django_assert_max_num_queries(16):
        page = staff.get(reverse(LIST))
    assert len(page.context["rows"]) == 18


def test_nobody_without_a_kind_of_his_own_counts_anything(django_user_model: Any) -> None:
    nobody = django_user_model.objects.create_user("nobody", is_staff=True)
    assert kinds_for(nobody) == []
    assert count_items(kinds=[]) == {}
    assert find_items(kinds=[]).items == ()


def test_a_day_on_which_much_fails_is_counted_and_listed_up_to_a_bound_and_says_so(
    make_hold: Callable[..., Hold], staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        order = confirm_order(order_id=place(make_hold()).pk)
        Ticket.objects.filter(order_id=order.pk).update(status="failed")
    Job.objects.all().delete()
    tickets = [kind_named("tickets")]
    assert str(count_items(kinds=tickets)["tickets"]) == "3"
    assert str(count_items(kinds=tickets, most=2)["tickets"]) == "2+"
    monkeypatch.setattr(find_items_module, "MOST", 2)
    assert len(find_items(kinds=tickets).items) == 2
    monkeypatch.setattr(attention_tag, "MOST_IN_HEADER", 2)
    assert "Needs attention: 2+" in staff.get(reverse("admin:index")).content.decode()
