"""People who ask to be told when a sale opens, and what is planned for them."""

from __future__ import annotations

from datetime import timedelta

from boxoffice import tasks
from boxoffice.ask_to_be_told import ask_to_be_told
from boxoffice.write_message import written
from inventory.models import Show
from inventory.tasks import announce_opening
from jobs.models import Job
from notifications import transitions
from notifications.content import EmailContent
from notifications.models import Notification

MANY_ALERTS = """
    INSERT INTO boxoffice_salealert (show_id, email, language, token)
    SELECT %s, 'fan' || n || '@example.org', 'en', 't' || n FROM generate_series(1, 20000) AS n
"""
DAY = timedelta(days=1)


def ask(show: Show, email: str = "ada@example.org", language: str = "en") -> None:
    ask_to_be_told(show_id=show.pk, email=email, language=language)


def open_and_tell(show: Show) -> int:
    """What the jobs do when the instant has come; returns how many mails were planned."""
    before = Notification.objects.count()
    announce_opening.body(show_id=show.pk)
    for job in Job.objects.filter(task="boxoffice.tell_sale_opened", state="waiting"):
        tasks.tell_those_who_asked.body(**job.args)
        Job.objects.filter(pk=job.pk).update(state="done")
    return Notification.objects.count() - before


def send_all() -> None:
    """Mark what is queued as sent, as the mail server's answer does."""
    for notification in Notification.objects.filter(status="queued"):
        transitions.mark_sent(notification_id=notification.pk)


def mail_to(email: str = "ada@example.org") -> EmailContent:
    """The mail as it would be written now."""
    return written(notification=Notification.objects.filter(recipient=email).latest("pk"))
