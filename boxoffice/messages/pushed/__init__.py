"""What BoxOffice tells browsers: the kinds that have a push form beside their mail, one module each.

A push message stands on a locked screen: it says what has happened in a few words, and nothing that is a secret but the
address of the order's page, which nobody sees before it is pressed.
"""

from __future__ import annotations

from collections.abc import Callable

from boxoffice.errors import UnknownMessage
from boxoffice.messages.pushed import refund_done, tickets_ready
from notifications.content import PushContent

KINDS: dict[str, Callable[..., PushContent]] = {
    tickets_ready.KIND: tickets_ready.write,
    refund_done.KIND: refund_done.write,
}


def write(*, kind: str, subject: str, occurrence: str = "") -> PushContent:
    """What to push about this subject (``order:<code>``), as things stand now, in the active language.

    Raises UnknownMessage for a kind without a push form, and what the kind itself raises: NothingToSay where what was
    planned to be told is not so any more.
    """
    if kind not in KINDS:
        raise UnknownMessage
    return KINDS[kind](subject=subject, occurrence=occurrence)
