"""A ledger that is full when it gets its new columns, and one that has to go back."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.db import connection

from jobs.append_only import erasing
from jobs.models import Job, StaffAction

flow = import_module("jobs.migrations.0004_flow")

pytestmark = pytest.mark.django_db


def test_jobs_that_were_enqueued_before_there_were_destinations_wait_for_theirs() -> None:
    mails = [
        Job.objects.create(task="boxoffice.send_message", queue="messages", state=state)
        for state in ("waiting", "published", "running", "dead")
    ]
    other = Job.objects.create(task="tickets.issue_tickets", queue="tickets")
    flow.name_destinations(None, SimpleNamespace(connection=connection))
    assert set(Job.objects.filter(pk__in=[job.pk for job in mails]).values_list("destination", flat=True)) == {"mail"}
    other.refresh_from_db()
    assert other.destination == ""


def test_on_the_way_back_only_what_the_old_trail_can_hold_is_left() -> None:
    about = {"by": "anna", "reason": "because"}
    for action in ("replay", "discard", "cancel", "run now", "priority"):
        StaffAction.objects.create(job_id=1, action=action, **about)
    StaffAction.objects.create(target="queue messages", action="pause", **about)
    # On the way back the trigger that guards the trail is gone before this runs.
    with erasing(), connection.cursor() as cursor:
        cursor.execute(flow.FORGET_NEWER_ACTIONS)
    assert sorted(StaffAction.objects.values_list("action", flat=True)) == ["cancel", "discard", "replay"]
