"""Reading notifications."""

from __future__ import annotations

from django.db.models import QuerySet

from notifications.models import Notification


def notifications_about(*, subject: str) -> QuerySet[Notification]:
    """What was told about ``subject`` (``order:ABC``), oldest first. Uses the constraint notification_once."""
    return Notification.objects.filter(subject=subject).order_by("id")
