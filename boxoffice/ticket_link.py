"""Links to the file with an order's tickets: signed, and good for a few minutes of the database's time.

The order's page is what its owner keeps; its address is the secret. A link to the file ends up elsewhere: in the list
of downloads, in a chat, in a proxy's log. It names neither the order's secret nor the file's place, and soon opens
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core import signing

from boxoffice.errors import LinkExpired, TicketsBeingRenewed, TicketsNotStored, TicketsVoid
from boxoffice.models import Order
from jobs.clock import DatabaseNow, database_now
from tickets.models import TicketDocument
from tickets.valid_document import documents, has_only_void_tickets

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


def document_and_now(*, order_id: int) -> tuple[TicketDocument, datetime]:
    """The order's file and the database's time. One query, or three where there is no file.

    Raises TicketsBeingRenewed while a void ticket is in it, TicketsVoid when no ticket of the order is valid, and
    TicketsNotStored before the tickets are issued.
    """
    found = documents(order_id=order_id).annotate(now=DatabaseNow()).first()
    if found is None or found.outdated:
        if has_only_void_tickets(order_id=order_id):
            raise TicketsVoid
        raise TicketsBeingRenewed if found else TicketsNotStored
    return found, found.now


def follow_link(*, link: str) -> LinkedFile:
    """The file that the link leads to. Two queries, none for a link of others.

    Raises LinkExpired for a link that is too old, and for one that was never ours: it is not said which. Else what
    ``document_and_now`` raises.
    """
    try:
        order_id, code, until = signing.loads(link, salt=SALT)
    except signing.BadSignature as error:
        raise LinkExpired from error
    if database_now().timestamp() >= until:
        raise LinkExpired
    document, _now = document_and_now(order_id=order_id)
    return LinkedFile(document=document, name=f"tickets-{code}.pdf")
