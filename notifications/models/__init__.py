"""Who is told what, and through which channel."""

from notifications.models.notification import Notification

__all__ = ["Notification"]
