"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from celery import shared_task

from notifications.feedback.prune_events import prune_mail_events


@shared_task(name="notifications.prune_mail_events", has_call=False)
def forget_mail_events() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    prune_mail_events()
