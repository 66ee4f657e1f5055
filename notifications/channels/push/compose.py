"""What a browser is sent: a small JSON object that the page's service worker turns into a notification."""

from __future__ import annotations

import json

from notifications.content import PushContent
from notifications.errors import PushMessageTooLong
from notifications.models import Notification

MOST_BYTES = 3993
"""Of one message before it is encrypted: every push service takes 4,096 bytes after it (RFC 8291, section 4)."""


def compose(*, notification: Notification, content: PushContent) -> bytes:
    """The message as JSON. Its tag is the notification's own, so that a repeat replaces what is shown (I4).

    Raises PushMessageTooLong.
    """
    words = {
        "title": content.title,
        "body": content.body,
        "url": content.url,
        "lang": notification.language,
        "tag": topic_of(notification),
    }
    message = json.dumps(words, ensure_ascii=False, separators=(",", ":")).encode()
    if len(message) > MOST_BYTES:
        raise PushMessageTooLong
    return message


def topic_of(notification: Notification) -> str:
    """The same in each attempt, and in the form of a Topic: 32 characters of base64 for URLs (RFC 8030)."""
    return notification.idempotency_key.hex
