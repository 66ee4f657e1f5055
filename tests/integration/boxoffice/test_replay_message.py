"""A mail that was given up and replayed: the same message as before, told from others by the same Message-ID."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.db import transaction

from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from jobs import transitions
from jobs.dead.replay import replay_job
from jobs.errors import DoesNotFit, ReplayRefused
from jobs.models import Job, StaffAction
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from notifications.models import Notification
from tests.fixtures_notifications import MailServer

WHO_AND_WHY = {"by": "operator", "reason": "the mail server takes mails again"}


@pytest.fixture
def mail_job(transactional_db: None, order_with_tickets: Order) -> Job:
    """The job that sends the mail with the tickets."""
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    return Job.objects.get(task="boxoffice.send_message")


def attempt(job: Job, work: Callable[[int], Outcome]) -> None:
    """One attempt, now, as relay and worker make it."""
    Job.objects.filter(pk=job.pk, state="waiting").update(available_at=job.created_at)
    engine_session("default")
    transitions.mark_due(using="default", queue="messages", window=10, batch=10)
    work(job.pk)
    job.refresh_from_db()


def test_a_refused_mail_is_sent_after_a_replay_with_the_message_id_that_it_had(
    mail_job: Job, mail_server: MailServer, work: Callable[[int], Outcome]
) -> None:
    planned = Notification.objects.get().message_id
    mail_server.turn(fail_next=1, fail_code=550)
    attempt(mail_job, work)
    assert (mail_job.state, Notification.objects.get().status) == ("dead", "failed")

    call_command("replay_dlq", "--job", str(mail_job.pk), "--by", "operator", "--reason", "it takes mails again")
    assert Notification.objects.get().status == "queued"
    attempt(mail_job, work)

    assert (mail_job.state, Notification.objects.get().status) == ("done", "sent")
    assert mail_server.only_message()["message_id"] == planned == Notification.objects.get().message_id


def test_a_mail_whose_acceptance_was_lost_goes_out_again_under_the_same_message_id(
    mail_job: Job, mail_server: MailServer, work: Callable[[int], Outcome]
) -> None:
    mail_server.turn(lose_answers=1)
    Job.objects.filter(pk=mail_job.pk).update(attempts=19)  # the last attempt
    attempt(mail_job, work)
    assert (mail_job.state, mail_job.reason) == ("dead", "attempts used up")

    replay_job(job_id=mail_job.pk, generation=0, **WHO_AND_WHY)
    attempt(mail_job, work)

    assert (mail_job.state, mail_job.generation) == ("done", 1)
    assert [mail["message_id"] for mail in mail_server.messages()] == [Notification.objects.get().message_id] * 2


def test_a_mail_job_of_another_shape_is_not_replayed(mail_job: Job) -> None:
    Job.objects.filter(pk=mail_job.pk).update(state="dead", args={"order_id": 1})
    with pytest.raises(DoesNotFit, match="lacks the argument notification_id"):
        replay_job(job_id=mail_job.pk, generation=0, **WHO_AND_WHY)
    assert StaffAction.objects.count() == 0


def test_a_callback_that_cannot_read_its_arguments_refuses(mail_job: Job) -> None:
    Job.objects.filter(pk=mail_job.pk).update(state="dead", args={"notification_id": "no number"})
    with pytest.raises(ReplayRefused):
        replay_job(job_id=mail_job.pk, generation=0, **WHO_AND_WHY)
    mail_job.refresh_from_db()
    assert mail_job.state == "dead"
