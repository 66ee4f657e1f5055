"""How far the cancellation of a show has come: all that a page about it shows, in a few queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils.translation import gettext as _

from boxoffice.cancellation.accounts import Accounts, read_accounts
from boxoffice.cancellation.preview import rate_per_second
from boxoffice.messages import show_cancelled
from boxoffice.models import Cancellation, CancelledOrder
from inventory.money import Money
from jobs.clock import database_now

RATE_OVER = timedelta(seconds=60)
"""The rate is that of the last minute: shorter, and it jumps; longer, and a pause looks like a slow provider."""

# Orders by what there was to do. By cancelled_order_in_turn, which has all that is read.
KINDS = """
    SELECT kind, count(*), sum(due)::bigint FROM boxoffice_cancelledorder
     WHERE cancellation_id = %(cancellation)s GROUP BY kind
"""

# Attempts that no later one replaces, by how they stand; "planned" has those by hand once more. Thousands of rows are
# read from refund_of_cancellation alone, which has all of them; the others are few, by refund_by_hand and by the failed
# ones of that index.
REFUNDS = """
    SELECT refund.status AS stands, refund.currency, count(*), sum(refund.amount)::bigint
      FROM boxoffice_refund AS refund
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status IN ('planned', 'pending', 'succeeded')
     GROUP BY 1, 2
     UNION ALL
    SELECT 'by hand', refund.currency, count(*), sum(refund.amount)::bigint
      FROM boxoffice_refund AS refund
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'planned' AND refund.by_hand
     GROUP BY 2
     UNION ALL
    SELECT CASE WHEN off.payment_id IS NULL THEN 'failed' ELSE 'written off' END,
           refund.currency, count(*), sum(refund.amount)::bigint
      FROM boxoffice_refund AS refund
      LEFT JOIN boxoffice_writeoff AS off ON off.payment_id = refund.payment_id AND off.at >= refund.settled_at
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'failed'
       AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id)
     GROUP BY 1, 2
     ORDER BY 1, 2
"""

# By refund_of_cancellation.
LATELY = """
    SELECT count(*), extract(epoch FROM jobs_now() - greatest(min(settled_at), jobs_now() - %(over)s))::float8
      FROM boxoffice_refund
     WHERE cancellation_id = %(cancellation)s AND status = 'succeeded' AND settled_at > jobs_now() - %(over)s
"""

# The steps by kind. By cancellation_step_once.
STEPS = """
    SELECT step, count(*), min(at), max(at),
           coalesce(sum((result->>'orders')::bigint), 0)::bigint,
           coalesce(sum((result->>'refunds')::bigint), 0)::bigint,
           coalesce(sum((result->>'mails')::bigint), 0)::bigint,
           coalesce(sum((result->>'tickets')::bigint), 0)::bigint,
           coalesce(sum((result->>'holds')::bigint), 0)::bigint,
           coalesce(sum((result->>'payment_pages')::bigint), 0)::bigint
      FROM boxoffice_cancellationstep WHERE cancellation_id = %(cancellation)s GROUP BY step ORDER BY min(id)
"""

# How the mails stand. By the primary keys and notification_once.
MAILS = """
    SELECT told.status, count(*)
      FROM boxoffice_cancelledorder AS known
      JOIN boxoffice_order AS o ON o.id = known.order_id
      JOIN notifications_notification AS told ON told.subject = 'order:' || o.code AND told.kind = %(kind)s
     WHERE known.cancellation_id = %(cancellation)s AND known.is_told
     GROUP BY told.status
"""


@dataclass(frozen=True)
class Pile:
    """So many, and what they come to by currency."""

    count: int = 0
    money: Sequence[Money] = ()

    def __add__(self, other: Pile) -> Pile:
        sums: dict[str, int] = {}
        for money in (*self.money, *other.money):
            sums[money.currency] = sums.get(money.currency, 0) + money.amount
        return Pile(self.count + other.count, [Money(amount, currency) for currency, amount in sums.items()])

    def __sub__(self, part: Pile) -> Pile:
        negative = [Money(-money.amount, money.currency) for money in part.money]
        left = self + Pile(-part.count, negative)
        return Pile(left.count, [money for money in left.money if money.amount])


@dataclass(frozen=True)
class StepsDone:
    """All steps of one kind: how many, from when to when, and what they did together."""

    step: str
    count: int
    began_at: datetime
    ended_at: datetime
    orders: int
    refunds: int
    mails: int
    tickets: int
    holds: int
    payment_pages: int


@dataclass(frozen=True)
class Progress:
    """How far it has come.

    orders: by ``CancelledOrder.Kind``. planned: all refunds. to_send, under_way (the provider has taken them on), done,
    failed, by_hand, written_off: how these stand; together they are ``planned``. rate: refunds that left in a second,
    lately; None for none. ends_at: when the last one leaves, at that rate or the provider's; None while paused, or
    where nothing is left to send. mails: planned. accounts: see ``Accounts``; None where they were not asked for.
    steps: in their order. reasons: why the accounting is not closed though its time has come. as_of: the database's
    clock.
    """

    cancellation: Cancellation
    orders: Mapping[str, int]
    planned: Pile
    to_send: Pile
    under_way: Pile
    done: Pile
    failed: Pile
    by_hand: Pile
    written_off: Pile
    rate: float | None
    ends_at: datetime | None
    mails: int
    accounts: Accounts | None
    steps: Sequence[StepsDone]
    reasons: Sequence[str]
    as_of: datetime

    @property
    def is_paused(self) -> bool:
        return bool(self.cancellation.pause)

    @property
    def why_paused(self) -> str:
        """Its reason in words of the active language where it is ours, and as it was typed where it is somebody's."""
        by_balance = self.cancellation.pause == Cancellation.Pause.BALANCE
        return _(self.cancellation.pause_reason) if by_balance else self.cancellation.pause_reason

    @property
    def all_orders(self) -> int:
        return sum(self.orders.values())

    @property
    def all_planned(self) -> bool:
        """No page is to come: the counts will not grow but for money that comes late."""
        return self.cancellation.phase != Cancellation.Phase.REFUNDING


def read_progress(*, show_id: int, without_accounts: bool = False) -> Progress | None:
    """How the cancellation of this show stands; None where it is not cancelled so. Eight queries, of which those of
    refunds and money read all orders of the show.

    without_accounts: for whoever asks often, while refunds are on their way and a wait for the accounting's end has not
    begun: two queries less, which are the dearest.
    """
    cancellation = Cancellation.objects.select_related("show__venue").filter(show_id=show_id).first()
    if cancellation is None:
        return None
    now = database_now()
    values: dict[str, Any] = {"cancellation": cancellation.pk, "over": RATE_OVER}
    stands: dict[str, Pile] = {}
    with connection.cursor() as cursor:
        cursor.execute(KINDS, values)
        orders = {kind: count for kind, count, _due in cursor.fetchall()}
        cursor.execute(REFUNDS, values)
        for how, currency, count, amount in cursor.fetchall():
            stands[how] = stands.get(how, Pile()) + Pile(count, [Money(amount, currency)])
        cursor.execute(LATELY, values)
        lately, seconds = cursor.fetchone()
        cursor.execute(STEPS, values)
        steps = [StepsDone(*row) for row in cursor.fetchall()]
    waits = cancellation.phase == Cancellation.Phase.CLOSING
    accounts = None if without_accounts and not waits else read_accounts(show_id=show_id)
    stands["planned"] = stands.get("planned", Pile()) - stands.get("by hand", Pile())
    rate = lately / max(seconds, 1.0) if lately else None
    to_send = stands["planned"]
    return Progress(
        cancellation=cancellation,
        orders={str(kind): orders.get(str(kind), 0) for kind in CancelledOrder.Kind},
        planned=sum(stands.values(), start=Pile()),
        to_send=to_send,
        under_way=stands.get("pending", Pile()),
        done=stands.get("succeeded", Pile()),
        failed=stands.get("failed", Pile()),
        by_hand=stands.get("by hand", Pile()),
        written_off=stands.get("written off", Pile()),
        rate=rate,
        ends_at=_ends_at(cancellation, to_send.count, rate, now),
        mails=sum(step.mails for step in steps),
        accounts=accounts,
        steps=steps,
        reasons=accounts.reasons() if waits and accounts else (),
        as_of=now,
    )


def count_mails(*, cancellation_id: int) -> dict[str, int]:
    """By ``Notification.Status``, how many mails about it stand so. One query, which looks at each order's mail."""
    with connection.cursor() as cursor:
        cursor.execute(MAILS, {"cancellation": cancellation_id, "kind": show_cancelled.KIND})
        return dict(cursor.fetchall())


def _ends_at(cancellation: Cancellation, to_send: int, rate: float | None, now: datetime) -> datetime | None:
    per_second = rate or rate_per_second()
    if not to_send or not per_second or cancellation.pause:
        return None
    return now + timedelta(seconds=to_send / per_second)
