"""What fans and staff type is shown as text on every page of the desk."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.models import HoldAction, Order, OrderAction, OrderNote, Payment, Refund, ShowAction
from inventory.models import PriceTier, Seat, SeatingPlan, Show, Venue
from jobs.clock import database_now
from jobs.models import DeadLetter, Job, StaffAction
from notifications.models import MessageAction, Notification, Suppression
from snip.models import Link, LinkAction
from tests.desk_pages import desk_pages
from tests.fixtures_desk import Desk
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

MARK = "<img src=x onerror=alert(1)>'\"{{ 7|add:7 }}%s{0}"


@pytest.fixture
def hostile_desk(full_desk: Desk) -> Desk:
    """The full desk, on which everything that somebody can type is markup."""
    order, now = full_desk.order, database_now()
    Order.objects.update(name=MARK)
    Ticket.objects.update(holder_name=MARK)
    Show.objects.update(title=MARK, subtitle=MARK)
    Venue.objects.update(name=MARK, city=MARK, address=MARK)
    SeatingPlan.objects.update(name=MARK)
    PriceTier.objects.filter(pk=PriceTier.objects.earliest("pk").pk).update(name=MARK)
    Seat.objects.update(zone=MARK, row="<u5>", number="<u5>")
    Notification.objects.update(last_error=MARK)
    Suppression.objects.update(detail=MARK)
    Link.objects.update(label=MARK, refusal=MARK)
    Refund.objects.update(failure_message=MARK)
    Payment.objects.update(intent_id="<u5>pi")
    Job.objects.update(error=MARK, reason=MARK, worker=MARK)
    DeadLetter.objects.update(body=MARK, reason=MARK, headers={MARK: MARK})
    said = {"by": MARK, "reason": MARK}
    OrderNote.objects.create(order=order, text=MARK, by=MARK)
    OrderAction.objects.create(order=order, action=OrderAction.Action.NAME, details={"from": MARK, "to": MARK}, **said)
    HoldAction.objects.create(hold=order.hold, action=HoldAction.Action.EXTEND, ended_at=now, ends_at=now, **said)
    ShowAction.objects.create(show=order.show, action=ShowAction.Action.BLOCK, details={"seats": [MARK]}, **said)
    MessageAction.objects.create(
        subject=order.subject, action=MessageAction.Action.RESEND, recipient=order.email, **said
    )
    LinkAction.objects.create(link=Link.objects.get(), action=LinkAction.Action.BLOCK, by=MARK, what=MARK)
    for job in Job.objects.all():
        StaffAction.objects.create(job_id=job.pk, action=StaffAction.Action.RUN_NOW, job_reason=MARK, **said)
    ask_for_attention(title=MARK, text=MARK, number=uuid4(), order=order, name=MARK, email='"<u5>"@example.org')
    return full_desk


def test_markup_in_whatever_was_typed_is_text_on_every_page(hostile_desk: Desk) -> None:
    browser = Client(headers={"Accept-Language": "de"})  # translations are pages' text as well
    browser.force_login(get_user_model().objects.create_superuser("root"))
    addresses = [hostile_desk.address_of(page) for page in desk_pages()]
    addresses += [f"/admin/boxoffice/order/?q={hostile_desk.order.code}", f"/orders/{hostile_desk.order.token}/", "/"]
    pages = {address: browser.get(address) for address in addresses}
    # Drawings and files for spreadsheets are no pages: no browser reads markup in them.
    pages = {address: page for address, page in pages.items() if "html" in page.headers.get("Content-Type", "html")}
    wrong = {
        address: [sign for sign in ("<img src=x", "<u5>", "14%s") if sign in page.content.decode()]
        for address, page in pages.items()
        if not page.streaming
    }
    assert {address: signs for address, signs in wrong.items() if signs} == {}
    assert [address for address, page in pages.items() if page.status_code >= 500] == []
    assert sum("&lt;img src=x" in page.content.decode() for page in pages.values() if not page.streaming) > 25
