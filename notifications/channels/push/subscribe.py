"""A browser wants to be told about something."""

from __future__ import annotations

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from django.db import connection, transaction

from notifications.channels.push.endpoint import is_of_a_push_service
from notifications.errors import UnfitSubscription, UnknownPushService
from notifications.models import PushSubscription

MOST_OF_A_SUBJECT = 10
"""Browsers that are told of one subject; the oldest gives way. More than a family has, and an end to a flood."""

AUTH_BYTES = 16

# Subscriptions of one subject come one after the other, so that each counts those before it; and so does planning what
# they are told.
LOCK_SUBJECT = "SELECT pg_advisory_xact_lock(hashtextextended('push subscriptions of ' || %(subject)s, 0))"

# The same browser again has perhaps new keys, or another language, and gives up no older place. By
# push_subscription_once.
SUBSCRIBE = """
    INSERT INTO notifications_pushsubscription (subject, endpoint, p256dh, auth, language)
    VALUES (%(subject)s, %(endpoint)s, %(p256dh)s, %(auth)s, %(language)s)
    ON CONFLICT (subject, endpoint) DO UPDATE
        SET p256dh = excluded.p256dh, auth = excluded.auth, language = excluded.language, last_error = ''
    RETURNING id
"""

# By push_subscription_once, which begins with the subject.
DROP_THE_OLDEST = """
    DELETE FROM notifications_pushsubscription WHERE id IN (
        SELECT id FROM notifications_pushsubscription
         WHERE subject = %(subject)s AND id <> %(own)s ORDER BY id DESC OFFSET %(others)s)
"""


def subscribe(*, subject: str, endpoint: str, p256dh: str, auth: str, language: str) -> int:
    """Tell this browser about ``subject`` from now on; the subscription's id. Four statements in one transaction.

    endpoint, p256dh, auth: as the browser's PushSubscription gives them. language: of what it is told.
    Raises UnknownPushService for an address that messages are not sent to, and UnfitSubscription for keys that no
    message can be encrypted with.
    """
    if not is_of_a_push_service(endpoint):
        raise UnknownPushService
    if not (_is_a_point(p256dh) and len(_decoded(auth)) == AUTH_BYTES):
        raise UnfitSubscription
    values = {"subject": subject, "endpoint": endpoint, "p256dh": p256dh, "auth": auth, "language": language}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK_SUBJECT, values)
        cursor.execute(SUBSCRIBE, values)
        ((own,),) = cursor.fetchall()
        cursor.execute(DROP_THE_OLDEST, {"subject": subject, "own": own, "others": MOST_OF_A_SUBJECT - 1})
    return int(own)


def unsubscribe(*, subject: str, endpoint: str) -> bool:
    """Tell this browser nothing more about ``subject``. False when it was not to be told anyway."""
    gone, _tables = PushSubscription.objects.filter(subject=subject, endpoint=endpoint).delete()
    return bool(gone)


def _is_a_point(text: str) -> bool:
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _decoded(text))
    except ValueError:
        return False
    return len(_decoded(text)) == 65  # uncompressed, the form that the encryption is defined for


def _decoded(text: str) -> bytes:
    """Base64 for URLs, without padding and in the one form that it has; nothing for any other text."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
    return content if base64.urlsafe_b64encode(content).rstrip(b"=") == text.encode() else b""
