"""Reading notifications."""

from __future__ import annotations

from django.db.models import QuerySet

from notifications.models import Notification


def notifications_about(*, subject: str, channel: str | None = Notification.Channel.EMAIL) -> QuerySet[Notification]:
    """What was told about ``subject`` (``order:ABC``), oldest first. Uses the constraint notification_once.

    channel: by e-mail unless another one is named; None is all of them.
    """
    told = Notification.objects.filter(subject=subject).order_by("id")
    return told if channel is None else told.filter(channel=channel)
