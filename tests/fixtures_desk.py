"""A desk on which something of everything lies, about one fan whose name and address nobody could take for a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.test import Client
from django.urls import reverse
from django_celery_beat.models import ClockedSchedule

from boxoffice.confirm_order import confirm_order
from boxoffice.models import (
    AccessAction,
    Attention,
    AttentionAction,
    BooksAction,
    Export,
    ExportAction,
    Finding,
    HoldAction,
    Order,
    OrderAction,
    OrderNote,
    Payment,
    Promotion,
    Reconciliation,
    Refund,
    ShowAction,
)
from boxoffice.sales.count_sales import count_sales
from inventory.models import Hold
from jobs.clock import database_now
from jobs.history.partitions import make_partitions_ahead
from jobs.models import DeadLetter, DeadRun, Job, JobHistory, QueueLoad, StaffAction
from notifications.models import MessageAction, Notification, PushSubscription, Suppression
from snip.links.create_link import NewLink, create_link
from snip.models import ClickDay
from snip.scan.block_list import block_site
from tests.desk_pages import DeskPage
from tests.fixtures_boxoffice import place
from tests.fixtures_dead_jobs import DeadJobs
from tickets.models import Scan, Ticket

FORENAME, SURNAME = "Zacharias", "Quendelbusch"
FAN = f"{FORENAME} {SURNAME}"
ADDRESS = "zq.quendel@example.org"
EARLIER_ADDRESS = "zq.quendel@example.com"
WHY = f"{FAN} rang: no mail at {ADDRESS}"
WHERE = "Poster at the station"
WRITTEN_TO = f"mail to {ADDRESS} went astray"


@dataclass(frozen=True)
class Desk:
    """What lies on it."""

    order: Order

    def address_of(self, page: DeskPage) -> str:
        """The address of the page, about something that lies here."""
        _key, _, given = page.name.partition(" ")
        known = {"verb": given, "day": "2026-11-29", "number": "1"}
        arguments = [known.get(name) or self._about(page, name) for name in page.arguments]
        return reverse(f"admin:{page.key}", args=arguments)

    def _about(self, page: DeskPage, argument: str) -> int | str:
        return _first(_MODELS.get((page.key, argument)) or _model_of(page, argument))


# Arguments that are not named for their model, or for none.
_MODELS: dict[tuple[str, str], type[models.Model]] = {
    ("notifications_suppression_lift", "number"): Suppression,
    ("auth_user_password_change", "id"): get_user_model(),
}


def _model_of(page: DeskPage, argument: str) -> type[models.Model]:
    """The model that ``order_id`` is of; that ``object_id`` is of, by the page's name."""
    for model in apps.get_models():
        opts = model._meta
        if argument == f"{opts.model_name}_id":
            return model
        if argument == "object_id" and page.key.startswith(f"{opts.app_label}_{opts.model_name}_"):
            return model
    raise LookupError(f"What is {argument} of {page.name}? Say so in tests/fixtures_desk.py.")


def _first(model: type[models.Model]) -> int | str:
    found = model._default_manager.values_list("pk", flat=True).first()
    assert found is not None, f"Put a {model._meta.verbose_name} on the desk, in tests/fixtures_desk.py."
    return found


@pytest.fixture
def full_desk(
    make_hold: Callable[..., Hold], dead_jobs: DeadJobs, schedules: Callable[..., Any], django_user_model: Any
) -> Desk:
    """One order with all that can be told of it, and one of each thing that has a page."""
    order = confirm_order(order_id=place(make_hold(), name=FAN, email=ADDRESS).pk)
    _money(order)
    _messages(order)
    _by_hand(order)
    _ledger(order, dead_jobs)
    schedules("a plan by the minute", cron="30 2 * * *")
    schedules("a plan by the second")
    ClockedSchedule.objects.create(clocked_time=database_now())
    someone = django_user_model.objects.create_user("somebody", password="a long pass phrase")
    someone.groups.add(Group.objects.first())
    count_sales(show_id=order.show_id)
    Promotion.objects.create(show=order.show, promoter=someone)
    day = database_now().date()
    Export.objects.create(
        number=uuid4(), kind="takings", user=someone, by="somebody", language="en", first=day, last=day
    )
    ExportAction.objects.create(export_id=1, action=ExportAction.Action.ASK, by="somebody", what="takings of a day")
    link = create_link(new=NewLink(target="https://example.org/", label=WHERE), owner_id=someone.pk, by="somebody")
    block_site(host="phishing.example.net", why="a complaint", by="anna")
    code = link.codes.get().code
    ClickDay.objects.create(code=code, day=day, by=ClickDay.By.COUNTRY, value="DE", is_bot=False, clicks=1)
    _books(order)
    kind = ContentType.objects.get_for_model(Order)
    LogEntry.objects.create(user=someone, content_type=kind, object_id=order.pk, object_repr=FAN, action_flag=CHANGE)
    return Desk(order)


def _books(order: Order) -> None:
    now = database_now()
    Reconciliation.objects.create(day=now.date(), origin="api", reads_from=now, reads_until=now)
    found = Finding.objects.create(
        kind=Finding.Kind.ONLY_HERE,
        source="payment:1",
        day=now.date(),
        told_with=now.date(),
        amount=4_200,
        currency="EUR",
        suggestion=Finding.Action.WRITE_OFF,
        order=order,
    )
    BooksAction.objects.create(finding=found, action="take", by="somebody")


def _money(order: Order) -> None:
    payment = Payment.objects.create(
        order=order,
        status=Payment.Status.SUCCEEDED,
        amount=4_200,
        currency="EUR",
        idempotency_key=f"payment-{order.pk}",
        provider_id="cs_test",
        intent_id="pi_test",
        settled_at=database_now(),
    )
    Refund.objects.create(
        payment=payment,
        amount=4_200,
        currency="EUR",
        status=Refund.Status.FAILED,
        failure=Refund.Failure.REFUSED,
        failure_message=f"no account of {ADDRESS}",
        idempotency_key=f"refund-{order.pk}",
        settled_at=database_now(),
    )


def _messages(order: Order) -> None:
    mail = Notification.objects.create(
        kind="tickets_ready",
        subject=order.subject,
        channel=Notification.Channel.EMAIL,
        recipient=ADDRESS,
        language="en",
        status=Notification.Status.BOUNCED,
        sent_at=database_now(),
        last_error=f"<{ADDRESS}>: no such user",
    )
    Suppression.objects.create(
        address=ADDRESS, reason=Suppression.Reason.BOUNCED, detail=f"550 {ADDRESS} unknown", notification_id=mail.pk
    )
    PushSubscription.objects.create(
        subject=order.subject, endpoint="https://push.example.org/1", p256dh="k" * 87, auth="a" * 22, language="en"
    )
    MessageAction.objects.create(
        subject=order.subject,
        action=MessageAction.Action.ADDRESS,
        recipient=ADDRESS,
        earlier_recipient=EARLIER_ADDRESS,
        by="anna",
        reason=WHY,
    )


def _by_hand(order: Order) -> None:
    OrderAction.objects.create(order=order, action=OrderAction.Action.TRY_AGAIN, by="anna", reason=WHY)
    OrderAction.objects.create(
        order=order, action=OrderAction.Action.NAME, by="anna", reason=WHY, details={"from": "Zack", "to": FAN}
    )
    OrderNote.objects.create(order=order, text=WHY, by="anna")
    hold, now = order.hold, database_now()
    HoldAction.objects.create(
        hold=hold, action=HoldAction.Action.EXTEND, by="anna", reason=WHY, ended_at=now, ends_at=now
    )
    ShowAction.objects.create(
        show=order.show, action=ShowAction.Action.BLOCK, by="anna", reason="for the sound desk", details={"seats": []}
    )
    Attention.objects.create(kind="mails", key="1", owner="anna", taken_at=now)
    AttentionAction.objects.create(kind="mails", key="1", action=AttentionAction.Action.TAKE, by="anna")
    for kind, key in (("tickets", order.pk), ("mails", Notification.objects.latest("pk").pk)):
        settled = AttentionAction.Action.SETTLE
        AttentionAction.objects.create(kind=kind, key=str(key), action=settled, by="anna", reason=WHY)
    StaffAction.objects.create(target="queue messages", action=StaffAction.Action.PAUSE, by="anna", reason=WRITTEN_TO)
    AccessAction.objects.create(action=AccessAction.Action.LIFT, login="somebody", by="anna", reason="on holiday")
    ticket = Ticket.objects.filter(order_id=order.pk).first()
    assert ticket is not None
    Scan.objects.create(
        ticket=ticket,
        show_id=order.show_id,
        door="North",
        user_id=1,
        by="grace",
        result=Scan.Result.BY_HAND,
        proven=False,
        reason=f"{FAN} showed a passport",
    )


def _ledger(order: Order, dead_jobs: DeadJobs) -> None:
    dead_jobs(
        task="boxoffice.send_message",
        subject=order.subject,
        args={"email": ADDRESS, "name": FAN},
        error=f"SMTPRecipientsRefused: {ADDRESS}",
        traceback=f"Traceback: refused {ADDRESS}",
    )
    DeadRun.objects.create(
        number=uuid4(),
        action=DeadRun.Action.REPLAY,
        chosen={"task": "tickets.*"},
        by="anna",
        reason=WRITTEN_TO,
        total=1,
    )
    now = database_now()
    QueueLoad.objects.get_or_create(queue="messages")
    make_partitions_ahead()
    JobHistory.objects.create(
        id=Job.objects.latest("pk").pk + 1_000,
        task="tickets.issue_tickets",
        queue="default",
        subject=order.subject,
        state="cancelled",
        reason=WHY,
        created_at=now,
        finished_at=now,
    )
    _cancelled(order)
    DeadLetter.objects.create(
        queue="messages", reason="malformed", headers={}, body=f'{{"email": "{ADDRESS}"}}', digest="d"
    )


def _cancelled(order: Order) -> None:
    """A job that staff cancelled, and what they wrote of it; it is not the one that pages are opened of."""
    dead = Job.objects.filter(state=Job.State.DEAD).latest("pk")
    StaffAction.objects.create(job_id=dead.pk, action=StaffAction.Action.REPLAY, by="anna", reason=WHY, job_reason=WHY)
    job = Job.objects.filter(subject=order.subject).exclude(state=Job.State.DEAD).latest("pk")
    Job.objects.filter(pk=job.pk).update(state="cancelled", reason=WHY, finished_at=database_now())
    StaffAction.objects.create(job_id=job.pk, action=StaffAction.Action.CANCEL, by="anna", reason=WHY)


def login_as(client: Client, *, role: str) -> Client:
    """The browser of somebody with this role and no other right; at the desk, whatever the role."""
    user = get_user_model().objects.create_user(f"one of {role}", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    client.force_login(user)
    return client
