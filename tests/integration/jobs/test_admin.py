"""The ledger as staff and the command line see it: read-only, and in words."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from jobs.models import Job, StaffAction

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def one_job(**given: object) -> Job:
    return Job.objects.create(
        **{"task": "boxoffice.send_message", "queue": "messages", "subject": "order:ABCD2345", "available_at": NOON}
        | given
    )


def test_staff_see_why_and_until_when_a_job_waits_and_cannot_change_it(admin_client: Client) -> None:
    job = one_job(reason="will be tried again", attempts=3)

    listing = admin_client.get(reverse("admin:jobs_job_changelist"), {"q": "order:ABCD2345"}).content.decode()

    assert '<span class="chip waiting">waiting</span><br>will be tried again' in listing
    assert 'due <span class="nowrap">2026-12-01 12:00:00</span>' in listing
    assert admin_client.post(reverse("admin:jobs_job_change", args=[job.pk]), {"state": "done"}).status_code == 403


def test_jobs_about_a_subject_name_failures_and_claims_where_there_are_some(db: None) -> None:
    quiet = one_job(task="tickets.issue_tickets", state="done")
    busy = one_job(state="running", worker="celery@h pid 7", attempts=1, deliveries=2, error="Busy: later")
    out = StringIO()

    call_command("jobs_about", "order:ABCD2345", stdout=out)

    assert out.getvalue().splitlines() == [
        f"#{quiet.pk}  tickets.issue_tickets  done",
        f"#{busy.pk}  boxoffice.send_message  running  by celery@h pid 7  failed attempts: 1  claims: 2  Busy: later",
    ]


def test_no_command_prints_an_address_that_an_error_or_a_reason_holds(db: None) -> None:
    refused, why = "SMTPRecipientsRefused: ada@example.org", "ada@example.org asked for it"
    job = one_job(state="cancelled", error=refused, reason=why)
    StaffAction.objects.create(job_id=job.pk, action="cancel", by="anna", reason=why, job_reason=why, job_error=refused)
    out = StringIO()

    call_command("jobs_about", "order:ABCD2345", stdout=out)
    call_command("job", str(job.pk), stdout=out)

    assert "ada@" not in out.getvalue()
    assert out.getvalue().count("[an e-mail address] asked for it") == 4


@pytest.mark.parametrize("which", ["job", "deadjob", "deadletter", "jobhistory"])
@pytest.mark.parametrize("number", ["abc", "\x00", "1e3", "9" * 30, "-1"])
def test_what_is_no_number_is_not_taken_for_a_ticked_row(staff: Client, which: str, number: str) -> None:
    address = reverse(f"admin:jobs_{which}_changelist")
    for action in ("cancel_selected", "replay_selected", "discard_selected"):
        assert staff.post(address, {"action": action, "_selected_action": number}).status_code in (200, 302)


def test_a_name_that_no_text_can_hold_is_no_queue(staff: Client) -> None:
    for verb in ("pause", "resume"):
        for reason in ({}, {"reason": "why"}):
            address = reverse(f"admin:jobs_queueload_{verb}")
            assert staff.post(address, {"kind": "queue", "name": "\x00", **reason}).status_code == 404
    for rest in ("history", "delete"):
        assert staff.get(f"/admin/jobs/queueload/%00/{rest}/").status_code in (302, 403)


@pytest.mark.parametrize("words", ["\udcff", "x" * 301], ids=["no text", "a report"])
def test_commands_take_no_words_that_the_ledger_cannot_keep(words: str) -> None:
    why = {"by": "--by", "reason": "--reason"}
    for option in why.values():
        typed = {**dict.fromkeys(why.values(), "anna"), option: words}
        for command in ("pause", "resume"):
            with pytest.raises(CommandError, match=option):
                call_command(command, "--queue", "probe", *(part for pair in typed.items() for part in pair))
    with pytest.raises(CommandError, match="subject"):
        call_command("jobs_about", words)
