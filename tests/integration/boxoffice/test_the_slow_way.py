"""``NOTIFY_MODE=sync``: the request that confirms does by itself all that follows, before it answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, Payment
from inventory.models import Hold
from jobs import claim as claims
from jobs.flow.pause import pause
from jobs.models import Job
from jobs.session import engine_session
from notifications.models import Notification
from tests.fixtures_boxoffice import jobs_about_orders, place
from tests.fixtures_notifications import MailServer
from tests.fixtures_payments import Payments
from tests.fixtures_purchases import come_back, pay
from tickets.models import Ticket

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def slow_way(settings: Any, mail_server: MailServer, ticket_files: Path) -> Iterator[MailServer]:
    """NOTIFY_MODE is sync, and mails go to this server."""
    settings.LEDGER_RUNS_IN_REQUEST = True
    yield mail_server
    connection.close()


def states() -> dict[str, str]:
    return dict(jobs_about_orders().values_list("task", "state"))


def test_the_request_answers_when_tickets_and_mail_are_out(slow_way: MailServer, held_seats: Hold) -> None:
    form = {"name": "Ada Lovelace", "email": "ada@example.org"}
    answer = Client().post(reverse("checkout", args=[held_seats.token]), form)

    assert answer.status_code == 303
    order = Order.objects.get()
    assert order.status == "confirmed"
    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    assert states() == {
        "tickets.issue_tickets": "done",
        "boxoffice.tell_tickets_ready": "done",
        "boxoffice.send_message": "done",
    }
    assert slow_way.only_message()["to"] == ["ada@example.org"]


def test_who_paid_comes_back_to_tickets_that_are_out(
    slow_way: MailServer, paid_house: Payments, started_payment: Payment
) -> None:
    pay(paid_house, started_payment)
    come_back(Client(), started_payment)

    assert Order.objects.get().status == "confirmed"
    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    assert len(slow_way.messages()) == 1


def test_a_mail_provider_that_is_away_undoes_nothing_and_the_ledger_tries_again(
    slow_way: MailServer, placed_order: Order
) -> None:
    slow_way.turn(fail_next=-1)

    assert confirm_order(order_id=placed_order.pk).status == "confirmed"

    placed_order.refresh_from_db()
    assert placed_order.status == "confirmed"
    assert set(Ticket.objects.values_list("status", flat=True)) == {"issued"}
    mail = Job.objects.get(task="boxoffice.send_message")
    assert (mail.state, mail.attempts, mail.gate) == ("waiting", 1, "later")
    assert Notification.objects.get().status == "queued"


def test_nothing_of_it_runs_inside_the_transaction_that_confirms(slow_way: MailServer, placed_order: Order) -> None:
    with transaction.atomic():
        confirm_order(order_id=placed_order.pk)
        assert states() == {"tickets.issue_tickets": "waiting"}
    assert set(states().values()) == {"done"}


def test_what_is_paused_is_left_in_the_ledger(slow_way: MailServer, placed_order: Order) -> None:
    pause(kind="queue", name="messages", by="Grace", reason="The provider asked for it.")

    confirm_order(order_id=placed_order.pk)

    assert states()["boxoffice.send_message"] == "waiting"
    assert slow_way.messages() == []


def test_a_job_that_confirms_leaves_the_rest_to_the_workers(slow_way: MailServer, placed_order: Order) -> None:
    claim = claims.Claim(0, "default", 0, {}, 0, 0, "", "", engine_session("default"))
    with claims.running(claim):
        confirm_order(order_id=placed_order.pk)
    assert states() == {"tickets.issue_tickets": "waiting"}


def test_the_web_process_commits_as_synchronously_as_before(slow_way: MailServer, placed_order: Order) -> None:
    confirm_order(order_id=placed_order.pk)
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == ("on",)


def test_without_it_the_request_leaves_everything_to_the_workers(mail_server: MailServer, held_seats: Hold) -> None:
    confirm_order(order_id=place(held_seats).pk)
    assert states() == {"tickets.issue_tickets": "waiting"}
    assert mail_server.messages() == []


def test_the_check_before_a_deploy_warns_of_it(settings: Any) -> None:
    def warned() -> bool:
        return "jobs.W002" in {found.id for found in run_checks(include_deployment_checks=True)}

    assert not warned()
    settings.LEDGER_RUNS_IN_REQUEST = True
    assert warned()
