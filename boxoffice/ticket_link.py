"""Links to the file with an order's tickets: signed, and good for a few minutes of the database's time.

The order's page is what its owner keeps; its address is the secret. A link to the file ends up elsewhere: in the list
of downloads, in a chat, in a proxy's log. It names neither the order's secret nor the file's place, and soon opens
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing

from boxoffice.errors import LinkExpired
from boxoffice.models import Order
from jobs.clock import DatabaseNow
from tickets.models import TicketDocument

GOOD_FOR = timedelta(minutes=5)
"""Long enough for a slow telephone that asks where to save, too short to be passed on."""
SALT = "boxoffice.ticket_link"


@dataclass(frozen=True)
class LinkedFile:
    """The file that a link leads to, and the name under which it is saved."""

    document: TicketDocument
    name: str


def sign_link(*, order: Order, now: datetime) -> str:
    """The secret part of a link to this order's file, good from ``now`` on, which is the database's."""
    until = int((now + GOOD_FOR).timestamp())
    return signing.dumps([order.pk, order.code, until], salt=SALT)


def document_and_now(*, order_id: int) -> tuple[TicketDocument, datetime] | None:
    """The order's file and the database's time, or None before the tickets are issued. One query."""
    found = TicketDocument.objects.filter(order_id=order_id).annotate(now=DatabaseNow()).first()
    return (found, found.now) if found else None


def follow_link(*, link: str) -> LinkedFile | None:
    """The file that the link leads to; None when there is none any more. One query, none for a link of others.

    Raises LinkExpired for a link that is too old, and for one that was never ours: it is not said which.
    """
    try:
        order_id, code, until = signing.loads(link, salt=SALT)
    except signing.BadSignature as error:
        raise LinkExpired from error
    found = document_and_now(order_id=order_id)
    if found is None:
        return None
    document, now = found
    if now.timestamp() >= until:
        raise LinkExpired
    return LinkedFile(document=document, name=f"tickets-{code}.pdf")
