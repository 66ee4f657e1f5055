"""Jobs of the measurements: one that does nothing but say when it started, and mails of a few words."""

from celery import shared_task

from bench.starts import note_start
from notifications.content import EmailContent
from notifications.deliver import deliver
from notifications.models import Notification


@shared_task(name="bench.nothing", has_call=False)
def nothing(*, number: int) -> None:
    note_start(number)


@shared_task(name="bench.tell")
def tell(*, notification_id: int) -> None:
    _tell(notification_id, urgent=True)


@shared_task(name="bench.tell_many")
def tell_many(*, notification_id: int) -> None:
    _tell(notification_id, urgent=False)


def _tell(notification_id: int, *, urgent: bool) -> None:
    mail = Notification.objects.get(pk=notification_id)
    content = EmailContent(to_address=mail.recipient, subject="News", text="News.\n", html="<p>News.</p>")
    deliver(notification_id=notification_id, content=content, urgent=urgent)
