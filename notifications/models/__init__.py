"""Who is told what, and through which channel."""

from notifications.models.notification import Notification
from notifications.models.push_subscription import PushSubscription

__all__ = ["Notification", "PushSubscription"]
