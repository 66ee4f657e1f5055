"""The pages of dead jobs in the admin, as staff use them."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.urls import reverse

from jobs.models import Job

LIST = "admin:jobs_deadjob_changelist"


def seen(*jobs: Job) -> str:
    """Which jobs a page speaks of, and of which generation."""
    return ",".join(f"{each.pk}:{each.generation}" for each in jobs)


def press(client: Client, verb: str, *jobs: Job, **typed: Any) -> str:
    """Send the form of the page that asks; return the page that follows."""
    data = {"jobs": seen(*jobs), "reason": "the disk has room again", **typed}
    return client.post(reverse(f"admin:jobs_deadjob_{verb}"), data, follow=True).content.decode()


def choose(client: Client, action: str, *jobs: Job, **more: Any) -> str:
    """Tick jobs in the list and start an action; return the page that asks."""
    data = {"action": action, "_selected_action": [each.pk for each in jobs], **more}
    return client.post(reverse(LIST), data, follow=True).content.decode()
