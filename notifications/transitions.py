"""The only place where a notification's status changes: one conditional UPDATE each, whose row count is the answer."""

from __future__ import annotations

from django.db.models import F

from jobs.clock import DatabaseNow
from notifications.models import Notification

Status = Notification.Status


def begin_attempt(*, notification_id: int) -> bool:
    """Count an attempt of a queued notification. False when it is not queued: there is nothing to send."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(attempts=F("attempts") + 1) == 1


def note_error(*, notification_id: int, error: str) -> bool:
    """Keep why the last attempt failed. The notification stays queued; what follows is the job's decision."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(last_error=one_line(error)) == 1


def note_unwritten(*, notification_id: int, error: str) -> bool:
    """Count an attempt that failed before there was anything to send, and keep why. The notification stays queued."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(attempts=F("attempts") + 1, last_error=one_line(error)) == 1


def mark_sent(*, notification_id: int, provider_id: str = "") -> bool:
    """queued → sent. provider_id: what the ESP calls the message."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(status=Status.SENT, sent_at=DatabaseNow(), last_error="", provider_id=provider_id) == 1


def mark_failed(*, notification_id: int) -> bool:
    """queued → failed."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(status=Status.FAILED) == 1


def mark_suppressed(*, notification_id: int, reason: str) -> bool:
    """queued → suppressed, with why in ``last_error``."""
    queued = Notification.objects.filter(id=notification_id, status=Status.QUEUED)
    return queued.update(status=Status.SUPPRESSED, last_error=one_line(reason)) == 1


def suppress_untried(*, subject: str, kind: str, reason: str) -> int:
    """queued → suppressed, for those about ``subject`` of which no attempt was made. Returns how many moved."""
    untried = Notification.objects.filter(subject=subject, kind=kind, status=Status.QUEUED, attempts=0)
    return untried.update(status=Status.SUPPRESSED, last_error=one_line(reason))


def reopen(*, notification_id: int) -> bool:
    """failed → queued, with the same message id and idempotency key."""
    failed = Notification.objects.filter(id=notification_id, status=Status.FAILED)
    return failed.update(status=Status.QUEUED) == 1


def one_line(text: str) -> str:
    """The text as ``last_error`` keeps it: without NUL and lone surrogates, which PostgreSQL refuses to keep."""
    kept = text.replace("\x00", " ").encode("utf-8", "replace").decode()
    return " ".join(kept.split())[: Notification._meta.get_field("last_error").max_length]
