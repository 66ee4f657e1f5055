"""What needs a human and dead jobs by cause, in a browser: nothing scrolls sideways, and progress is shown live."""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Payment, Refund
from inventory.models import Hold
from jobs.admin import dead_progress
from jobs.clock import database_now
from jobs.models import DeadRun, Job
from jobs.wakeup import plain_connection
from notifications.models import Notification
from tests.desk_in_a_browser import bring_session, look_at, session_of_an_operator
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_storefront import Visiting
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "Wolfeschlegelsteinhausenbergerdorff" * 2
GROUPS = "/admin/jobs/deadjob/groups/"
ATTENTION = "/admin/boxoffice/attention/"


@pytest.fixture
def bad_day(make_hold: Callable[..., Hold], dead_jobs: DeadJobs) -> DeadRun:
    """Some of everything, with long names; a replay of dead jobs is under way."""
    for number in range(2):
        order = confirm_order(order_id=place(make_hold(), name=f"Ada {LONG}").pk)
        Ticket.objects.filter(order_id=order.pk).update(status="failed")
        Notification.objects.create(
            kind="tickets_ready", subject=order.subject, channel="email", recipient=f"ada@{'long-' * 8}example.org",
            language="en", status="bounced", message_id=f"<{number}>",
        )  # fmt: skip
    payment = Payment.objects.create(
        order=order, status="succeeded", amount=4_200, currency="EUR", idempotency_key="p", settled_at=database_now()
    )
    Refund.objects.create(
        payment=payment, status="failed", failure="returned", amount=4_200, currency="EUR", idempotency_key="r",
        settled_at=database_now(),
    )  # fmt: skip
    Job.objects.all().delete()
    dead_jobs(4, task="boxoffice.send_message", error="SMTPRecipientsRefused: 550 5.1.1 <ada@example.org> unknown",
              subject=order.subject)  # fmt: skip
    dead_jobs(3, task="tickets.issue_tickets", error=f"OSError: [Errno 28] No space left: /var/{LONG}", generation=3)
    dead_jobs(30, task="boxoffice.send_refund", error="", reason="crash loop", args={"refund_id": 1})
    ask_for_attention(
        title="I cannot open the PDF", text="It says that the file is damaged.\nWhat can I do?", number=uuid4(),
        order=order, name="Ada Lovelace", email="ada@example.org",
    )  # fmt: skip
    return DeadRun.objects.create(
        number=uuid4(), action="replay", chosen={"task": "boxoffice.*"}, rate=5, by="operator",
        reason="the mail server is back", total=200, changed=80, refused=1, refusals=[[1, "No app has the task."]],
    )  # fmt: skip


@pytest.mark.parametrize(("width", "language"), [(375, "de"), (1280, "en")])
def test_the_pages_keep_their_width(
    width: int, language: str, bad_day: DeadRun, client: Client, live_server: LiveServer, visiting: Visiting
) -> None:
    session = session_of_an_operator(client)
    cause = "cause=SMTPRecipientsRefused%3A+550+%23+%3C%E2%80%A6%3E+unknown"
    addresses = {
        "attention": ATTENTION, "attention-mails": f"{ATTENTION}?kind=mails&settled=1",
        "attention-none": f"{ATTENTION}?whose=mine",
        "settle": f"{ATTENTION}settle/?kind=mails&key={Notification.objects.latest('pk').pk}",
        "groups": GROUPS, "groups-wrong": f"{GROUPS}?since=yesterday",
        "list": f"/admin/jobs/deadjob/?{cause}", "replay": f"/admin/jobs/deadjob/replay-all/?{cause}",
        "replay-all": "/admin/jobs/deadjob/replay-all/", "discard": f"/admin/jobs/deadjob/discard-all/?{cause}",
        "run": f"/admin/jobs/deadjob/runs/{bad_day.pk}/",
    }  # fmt: skip
    with visiting(viewport={"width": width, "height": 900}) as visit:
        bring_session(visit, live_server, session, language=language)
        for name, address in addresses.items():
            look_at(visit, live_server, address, name=f"{name}-{width}-{language}", width=width)
        assert visit.complaints == []


def test_a_replay_shows_how_far_it_has_come_and_that_it_is_done(
    bad_day: DeadRun, client: Client, live_server: LiveServer, visiting: Visiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_progress, "REFRESH_SECONDS", 0.2)
    session = session_of_an_operator(client)
    with visiting(viewport={"width": 1280, "height": 700}) as visit:
        bring_session(visit, live_server, session)
        visit.page.goto(f"{live_server.url}/admin/jobs/deadjob/runs/{bad_day.pk}/")
        progress = visit.page.locator("[data-live=progress]")
        expect(progress).to_contain_text("81 of 200")
        _set("changed = 120")
        expect(progress).to_contain_text("121 of 200")
        _set("changed = 199, state = 'done', ended_at = now()")
        expect(progress).to_contain_text("200 of 200")
        expect(progress.locator(".chip")).to_have_text("done")
        expect(visit.page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
        assert visit.complaints == []


def _set(change: str) -> None:
    """From outside: Django refuses queries in this thread while a browser is open."""
    with plain_connection("default") as other:
        other.execute(f"UPDATE jobs_deadrun SET {change}")  # type: ignore[arg-type]
