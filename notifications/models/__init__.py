"""Who is told what, and through which channel."""

from notifications.models.mail_event import MailEvent
from notifications.models.message_action import MessageAction
from notifications.models.notification import Notification
from notifications.models.push_subscription import PushSubscription
from notifications.models.suppression import Suppression
from notifications.models.unsubscription import Unsubscription

__all__ = ["MailEvent", "MessageAction", "Notification", "PushSubscription", "Suppression", "Unsubscription"]
