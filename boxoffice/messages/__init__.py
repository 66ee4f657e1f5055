"""What BoxOffice tells people: one module per kind, listed here.

``notifications`` plans and delivers and knows none of these words. A kind's ``draft`` is called when the message is
sent, with the language of its reader active, so that it tells how things stand then. It raises NothingToSay where what
was planned to be told is not so any more: the message is then suppressed.
"""

from __future__ import annotations

from collections.abc import Callable

from boxoffice.errors import UnknownMessage
from boxoffice.messages import (
    day_reconciled,
    export_ready,
    my_orders,
    paid_too_late,
    refund_done,
    reminder,
    sale_opened,
    show_cancelled,
    show_goes_on,
    show_moved,
    show_postponed,
    tickets_disputed,
    tickets_late,
    tickets_ready,
)
from boxoffice.messages.base import Draft
from notifications.told_again import first_of

KINDS: dict[str, Callable[..., Draft]] = {
    day_reconciled.KIND: day_reconciled.draft,
    export_ready.KIND: export_ready.draft,
    reminder.KIND: reminder.draft,
    tickets_late.KIND: tickets_late.draft,
    tickets_ready.KIND: tickets_ready.draft,
}

# About something that many are told of, or about their address: what it says depends on that as well.
KINDS_FOR_MANY: dict[str, Callable[..., Draft]] = {
    my_orders.KIND: my_orders.draft,
    sale_opened.KIND: sale_opened.draft,
}

# About something that is rightly told more than once of one order: which time it is decides what it says.
KINDS_FOR_EACH_TIME: dict[str, Callable[..., Draft]] = {
    paid_too_late.KIND: paid_too_late.draft,
    refund_done.KIND: refund_done.draft,
    show_cancelled.KIND: show_cancelled.draft,
    show_goes_on.KIND: show_goes_on.draft,
    show_moved.KIND: show_moved.draft,
    show_postponed.KIND: show_postponed.draft,
    tickets_disputed.KIND: tickets_disputed.draft,
}

# Sent to many who did not wait for it at that moment: each tells how to get no more of its kind.
CAN_BE_ENDED = frozenset({reminder.KIND, sale_opened.KIND})


def draft(*, kind: str, subject: str, recipient: str, occurrence: str = "") -> Draft:
    """Draft the message of this kind about this subject, for this address, in the active language.

    subject: what this kind is about, ``order:<code>``, ``show:<id>``, ``export:<id>`` or ``day:<date>``. occurrence:
    as it was planned, the first time or again: what is told again is written as it was the first time.
    Raises UnknownMessage for a kind that is not listed, and what the kind itself raises.
    """
    if writer := KINDS.get(kind):
        return writer(subject=subject)
    if writer := KINDS_FOR_MANY.get(kind):
        return writer(subject=subject, recipient=recipient)
    if writer := KINDS_FOR_EACH_TIME.get(kind):
        return writer(subject=subject, occurrence=first_of(occurrence))
    raise UnknownMessage
