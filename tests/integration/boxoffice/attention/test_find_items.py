"""What needs a human: each fault is an item, told as on the order's page, and leaves with its cause."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.attention.find_items import MOST_DEAD
from boxoffice.attention.kinds import PARAMETERS, REFUNDS, kind_named
from boxoffice.attention.settle_item import settle_item
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, Payment, Refund
from boxoffice.refunds.transitions import plan as plan_refund
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.problems import find_problems
from inventory.models import Hold, Show
from jobs.clock import database_now
from jobs.models import Job, Schedule
from notifications.models import Notification
from tests.attention_items import LIST, bounce, fail_tickets, in_need, items, kinds, refund_of
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tests.query_plans import plan_for_a_large_table
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


def test_on_a_good_day_nothing_needs_a_human_and_the_page_says_so(sold: Order, staff: Client) -> None:
    assert items() == []
    assert in_need() == set()
    page = staff.get(reverse(LIST)).content.decode()
    assert "Nothing needs anybody." in page
    assert "Needs attention:" not in page


def test_each_fault_is_an_item_and_leaves_with_its_cause(
    sold: Order, dead_jobs: DeadJobs, schedules: Callable[..., Any]
) -> None:
    fail_tickets(sold)
    mail, refund = bounce(sold), refund_of(sold)
    payment = Payment.objects.create(
        order=sold, status="failed", amount=1, currency="EUR", idempotency_key="p", problem="another sum",
        provider_id="cs_1", settled_at=database_now(),
    )  # fmt: skip
    dead_jobs(3, error="KeyError: 'seat 12'")
    schedules("late one")
    Schedule.objects.update(next_run_at=database_now() - timedelta(minutes=5))
    ask_for_attention(title="A question", text="Where do I sit?", number=uuid4(), order=sold)

    assert kinds() == ["asked", "dead_jobs", "mails", "payments", "refunds", "schedules", "tickets"]
    Ticket.objects.filter(order_id=sold.pk).update(status="issued")
    Notification.objects.filter(pk=mail.pk).update(status="delivered", sent_at=database_now())
    Refund.objects.filter(pk=refund.pk).update(status="succeeded", failure="")
    Payment.objects.filter(pk=payment.pk).update(problem="")
    Job.objects.filter(state="dead").update(state="waiting")
    Schedule.objects.update(next_run_at=database_now() + timedelta(minutes=5))
    assert kinds() == ["asked"]


def test_tickets_that_take_too_long_need_a_human_though_no_job_has_said_so(sold: Order) -> None:
    Ticket.objects.filter(order_id=sold.pk).update(status="pending", created_at=database_now())
    assert items() == []
    Ticket.objects.filter(order_id=sold.pk).update(created_at=F("created_at") - timedelta(minutes=11))
    assert [(item.kind, item.order_id) for item in items()] == [("tickets", sold.pk)]


def test_a_mail_that_was_sent_again_is_looked_at_instead_and_after_the_show_nobody_waits_for_it(sold: Order) -> None:
    bounce(sold)
    again = bounce(sold, occurrence="#1", status="queued")
    assert items() == []
    Notification.objects.filter(pk=again.pk).update(status="bounced")
    assert [item.key for item in items()] == [str(again.pk)]
    long_ago = database_now() - timedelta(days=2)
    Show.objects.filter(pk=sold.show_id).update(
        on_sale_at=long_ago - timedelta(days=1), doors_at=long_ago, starts_at=long_ago
    )
    assert items() == []


def test_a_refund_that_was_tried_again_or_waits_for_us_counts_as_on_the_orders_page(sold: Order) -> None:
    first = refund_of(sold)
    by_hand = refund_of(sold, method="cash", status="planned", failure="", settled_at=None)
    assert {item.key for item in items()} == {str(first.pk), str(by_hand.pk)}
    Refund.objects.create(
        payment=first.payment, amount=1, currency="EUR", idempotency_key="again", status="planned", replaces=first
    )
    assert {item.key for item in items()} == {str(by_hand.pk)}


def test_what_is_to_be_paid_out_by_hand_needs_a_human_and_what_waits_for_the_provider_does_not(sold: Order) -> None:
    online = refund_of(sold, status="succeeded", failure="").payment
    cash = refund_of(sold, method="cash", status="succeeded", failure="").payment
    Payment.objects.filter(pk__in=[online.pk, cash.pk]).update(amount=9_000)
    planned = [plan_refund(payment_id=payment.pk, amount=1_000, reason="ill") for payment in (online, cash)]
    assert [refund.by_hand for refund in planned if refund] == [False, True]
    assert {item.key for item in items()} == {str(refund.pk) for refund in planned if refund and refund.by_hand}


def test_however_many_refunds_wait_for_the_provider_none_of_them_is_read_for_the_number_in_the_header(
    db: None,
) -> None:
    plan = plan_for_a_large_table(REFUNDS, PARAMETERS, table="boxoffice_refund")
    assert set(re.findall(r"using (refund_\w+)", plan)) | set(re.findall(r"on (refund_\w+)", plan)) == {
        "refund_failed", "refund_pending", "refund_by_hand",
    }, plan  # fmt: skip


def test_the_filter_of_orders_shows_those_behind_the_items_and_no_others(
    sold: Order, make_hold: Callable[..., Hold], dead_jobs: DeadJobs, staff: Client
) -> None:
    ill = confirm_order(order_id=place(make_hold()).pk)
    dead_jobs(1, subject=ill.subject)
    Job.objects.exclude(state="dead").delete()
    bounce(sold)
    assert in_need() == {ill.pk, sold.pk}
    shown = staff.get(reverse("admin:boxoffice_order_changelist"), {"attention": "needed"}).content.decode()
    assert ill.code in shown
    assert sold.code in shown
    for item in items():
        if item.kind != "dead_jobs":
            settle_item(kind=kind_named("mails"), key=item.key, by="anna", reason="rang")  # type: ignore[arg-type]
    assert in_need() == {ill.pk}


def test_of_a_flood_of_dead_jobs_the_filter_reads_the_newest_and_says_so(
    sold: Order, dead_jobs: DeadJobs, staff: Client
) -> None:
    def shown() -> str:
        return staff.get(reverse("admin:boxoffice_order_changelist"), {"attention": "needed"}).content.decode()

    (about_it,) = dead_jobs(1, subject=sold.subject)
    assert sold.code in shown()
    dead_jobs(MOST_DEAD)
    Job.objects.filter(pk=about_it.pk).update(finished_at=database_now() - timedelta(days=1))
    page = shown()
    assert sold.code not in page
    assert "of dead jobs, the newest 5,000" in page


def test_the_list_says_what_the_orders_page_says(sold: Order, staff: Client) -> None:
    fail_tickets(sold)
    bounce(sold)
    refund_of(sold)
    page = staff.get(reverse(LIST)).content.decode().replace("&#x27;", "'").replace("&quot;", '"')
    order = Order.objects.select_related("show__venue", "hold").get(pk=sold.pk)
    problems = [problem for problem in find_problems(gather_facts(order=order)) if problem.needs_a_human]
    assert len(problems) == 3
    for problem in problems:
        assert problem.what in page
        assert problem.advice in page


def test_all_that_died_of_one_cause_is_one_item_with_its_number(dead_jobs: DeadJobs, staff: Client) -> None:
    dead_jobs(3, error="KeyError: 'seat 12'")
    dead_jobs(2, error="KeyError: 'row 12'")
    dead_jobs(1, task="probe.call", error="KeyError: 'row 12'")
    page = staff.get(reverse(LIST))
    assert sorted(row.what.partition(":")[0] for row in page.context["rows"]) == ["1 job", "2 jobs", "3 jobs"]
    for row in page.context["rows"]:
        (led_to,) = staff.get(row.link).context["rows"]
        assert row.what.startswith(f"{led_to.group.count} job")
