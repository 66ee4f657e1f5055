"""Ending and taking up again one kind of bulk mail to an address, as its reader wants it."""

from __future__ import annotations

from django.db import connection
from django.utils.translation import gettext_noop

from notifications.models import Unsubscription
from notifications.suppression.fold import folded

UNSUBSCRIBED = gettext_noop("its reader wants no more mails of this kind")
"""Why it is not sent. Staff read it, in their own language."""

# Who ends it again changes nothing. By unsubscription_once.
UNSUBSCRIBE = """
    INSERT INTO notifications_unsubscription (address, kind) VALUES (%(address)s, %(kind)s)
    ON CONFLICT (address, kind) DO NOTHING
"""


def unsubscribe(*, address: str, kind: str) -> bool:
    """Send this address, however it is typed, no more mails of this kind. False when that was so already.

    What is planned already is suppressed when its turn comes. In the caller's transaction, or in one of its own.
    """
    with connection.cursor() as cursor:
        cursor.execute(UNSUBSCRIBE, {"address": folded(address), "kind": kind})
        return cursor.rowcount == 1


def subscribe_again(*, address: str, kind: str) -> bool:
    """The inverse: False when nothing was ended. Mails that were suppressed meanwhile are not sent after all."""
    return Unsubscription.objects.filter(address=folded(address), kind=kind).delete()[0] == 1


def is_unsubscribed(*, address: str, kind: str) -> bool:
    """Whether its reader wants no more of this kind. One query, by unsubscription_once."""
    return Unsubscription.objects.filter(address=folded(address), kind=kind).exists()
