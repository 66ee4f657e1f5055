"""What needs a human: it is there as long as its cause is, each sees what is his, and one has it at a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from boxoffice.attention import find_items as find_items_module
from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.attention.errors import ItemGone, ItemTaken, MendTheCause, NotYours
from boxoffice.attention.find_items import MOST_DEAD, Item, count_items, find_items, orders_in_need
from boxoffice.attention.kinds import KINDS, PARAMETERS, REFUNDS, kind_named, kinds_for
from boxoffice.attention.settle_item import settle_item
from boxoffice.attention.take_item import give_item_back, take_item
from boxoffice.confirm_order import confirm_order
from boxoffice.models import AttentionAction, Order, Payment, Refund
from boxoffice.refunds.transitions import plan as plan_refund
from boxoffice.roles.table import FINANCE, OPERATOR, SUPPORT
from boxoffice.support.story.facts import gather_facts
from boxoffice.support.story.problems import find_problems
from boxoffice.templatetags import attention as attention_tag
from inventory.models import Hold, Show
from jobs.clock import database_now
from jobs.models import Job, Pause, QueueLoad, Schedule
from notifications.models import Notification
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_desk import login_as
from tests.query_plans import plan_for_a_large_table
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

LIST = "admin:boxoffice_attention_changelist"


@pytest.fixture
def sold(make_hold: Callable[..., Hold]) -> Order:
    """A confirmed order whose tickets are made."""
    order = confirm_order(order_id=place(make_hold()).pk)
    Ticket.objects.filter(order_id=order.pk).update(status="issued", issued_at=database_now())
    Job.objects.all().delete()
    return order


def items(**given: Any) -> list[Item]:
    return list(find_items(kinds=KINDS, **given).items)


def kinds() -> list[str]:
    return sorted(item.kind for item in items())


def in_need() -> set[int]:
    statement, values = orders_in_need()
    return set(Order.objects.filter(pk__in=[pk for (pk,) in _run(statement, values)]).values_list("pk", flat=True))


def _run(statement: str, values: list[Any]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall()


def fail_tickets(order: Order) -> None:
    Ticket.objects.filter(order_id=order.pk).update(status="failed")


def bounce(order: Order, **given: Any) -> Notification:
    values = {"kind": "tickets_ready", "recipient": "ada@example.org", "language": "en", "status": "bounced", **given}
    key = uuid4()
    return Notification.objects.create(
        subject=order.subject, channel="email", idempotency_key=key, message_id=f"<{key}>", **values
    )


def refund_of(order: Order, *, method: str = "online", **given: Any) -> Refund:
    number = uuid4().hex
    payment = Payment.objects.create(
        order=order, method=method, status="succeeded", amount=4_200, currency="EUR", idempotency_key=number,
        settled_at=database_now(),
    )  # fmt: skip
    values = {"status": "failed", "failure": "refused", "settled_at": database_now(), **given}
    return Refund.objects.create(
        payment=payment, amount=4_200, currency="EUR", idempotency_key=number, by_hand=payment.is_by_hand, **values
    )


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
