"""Taking in what the ESP tells: stored once, and written down in the same transaction.

PostgreSQL only, nobody is called and no job is needed, so that the ESP is answered at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from anymail.signals import AnymailTrackingEvent, EventType
from django.db import connection, transaction

from notifications.channels.email.esp import TAG
from notifications.channels.email.smtp import without_addresses
from notifications.erased_recipient import is_erased
from notifications.feedback.transitions import climb
from notifications.models import Notification, Suppression
from notifications.suppression.suppress_address import suppress_address

Status = Notification.Status

# By mail_event_once.
STORE_EVENT = """
    INSERT INTO notifications_mailevent (event_id, type, notification_id)
    VALUES (%(event_id)s, %(type)s, %(notification_id)s)
    ON CONFLICT (event_id) DO NOTHING
"""

_STATUS_OF = {
    EventType.SENT: Status.SENT,
    EventType.DELIVERED: Status.DELIVERED,
    EventType.BOUNCED: Status.BOUNCED,
    EventType.COMPLAINED: Status.COMPLAINED,
}
# anymail does not know these yet. Both mean that the mail will not arrive.
_BOUNCED_TOO = frozenset({"email.failed", "email.suppressed"})
_HARD = "Permanent"


def take_event(*, event: AnymailTrackingEvent) -> str:
    """Take in an event whose signature was checked; return what was done.

    ``marked``; ``late`` (the notification stood higher already); ``known`` (it came before); ``unknown`` (no
    notification of ours); ``ignored`` (opened, clicked, delayed, and what has no id).
    One transaction of at most four statements.
    """
    status = _status_of(event)
    if status is None or not event.event_id:
        return "ignored"
    notification = _notification_of(event)
    if notification is None:
        return "unknown"
    with transaction.atomic():
        if not _is_new(event, notification):
            return "known"
        why = without_addresses(_said(event)) if status == Status.BOUNCED else ""
        marked = climb(notification_id=notification.pk, to=status, why=why)
        if reason := _reason_to_suppress(event, status):
            address = _address(event, notification)
            suppress_address(address=address, reason=reason, detail=why, notification_id=notification.pk)
    return "marked" if marked else "late"


def _status_of(event: AnymailTrackingEvent) -> Status | None:
    if _type_of(event) in _BOUNCED_TOO:
        return Status.BOUNCED
    return _STATUS_OF.get(event.event_type)


def _notification_of(event: AnymailTrackingEvent) -> Notification | None:
    """By our key, which the ESP knows since it took the mail; our row may not know the ESP's id yet."""
    tags = _data(event).get("tags")
    try:
        key = UUID(str(tags[TAG])) if isinstance(tags, Mapping) else None
    except (KeyError, ValueError):
        key = None
    provider_id = str(event.message_id or "")
    if key is None and not (provider_id and provider_id.isprintable()):
        return None
    by = {"idempotency_key": key} if key else {"provider_id": provider_id}
    return Notification.objects.filter(channel=Notification.Channel.EMAIL, **by).first()


def _is_new(event: AnymailTrackingEvent, notification: Notification) -> bool:
    values = {"event_id": event.event_id[:255], "type": _type_of(event)[:100], "notification_id": notification.pk}
    with connection.cursor() as cursor:
        cursor.execute(STORE_EVENT, values)
        return cursor.rowcount == 1


def _address(event: AnymailTrackingEvent, notification: Notification) -> str:
    """Complaints may come days later: the ESP says whose, where we have erased it."""
    if is_erased(recipient=notification.recipient):
        return str(event.recipient or notification.recipient)
    return notification.recipient


def _reason_to_suppress(event: AnymailTrackingEvent, status: Status) -> str:
    if status == Status.COMPLAINED:
        return Suppression.Reason.COMPLAINED
    hard = _bounce(event).get("type") == _HARD or _type_of(event) == "email.suppressed"
    return Suppression.Reason.BOUNCED if status == Status.BOUNCED and hard else ""


def _said(event: AnymailTrackingEvent) -> str:
    return str(event.description or _bounce(event).get("message") or _type_of(event))


def _type_of(event: AnymailTrackingEvent) -> str:
    return str(event.esp_event.get("type", ""))


def _data(event: AnymailTrackingEvent) -> Mapping[str, Any]:
    data = event.esp_event.get("data")
    return data if isinstance(data, Mapping) else {}


def _bounce(event: AnymailTrackingEvent) -> Mapping[str, Any]:
    bounce = _data(event).get("bounce")
    return bounce if isinstance(bounce, Mapping) else {}
