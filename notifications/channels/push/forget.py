"""What is kept of a browser that could not be told."""

from __future__ import annotations

from django.db import connection

from notifications.models import PushSubscription
from notifications.models.push_subscription import subscription_id_of

# A browser that is gone is gone for every subject. By the primary key, and push_subscription_endpoint.
FORGET = """
    DELETE FROM notifications_pushsubscription WHERE endpoint = (
        SELECT endpoint FROM notifications_pushsubscription WHERE id = %(id)s)
"""


def forget_browser(*, recipient: str) -> int:
    """Drop all subscriptions of the browser that ``recipient`` (``push:<id>``) names; how many there were."""
    with connection.cursor() as cursor:
        cursor.execute(FORGET, {"id": subscription_id_of(recipient=recipient)})
        return cursor.rowcount


def note_refusal(*, subscription: PushSubscription, error: str) -> None:
    """Keep why a message to it was refused, or that one was taken again where ``error`` is empty. No query where the
    row says so already.
    """
    if subscription.last_error != error:
        PushSubscription.objects.filter(pk=subscription.pk).update(last_error=error)
