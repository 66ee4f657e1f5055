"""All refunds of a cancelled show that failed are tried again at once, as somebody of staff has asked.

A provider that was out of order, a key without rights, a balance: once it is mended, nobody presses a button for each
of hundreds. Jobs do it, PAGE attempts in one transaction of set-based SQL.

Guarantee: an attempt is followed by one other at most (UNIQUE replaces_id), planned while its payment is locked and
with what is left of it then. So neither a second press nor an answer that comes meanwhile sends anything twice. What
fails again is not taken up by the same press: its number is beyond the newest that the page had shown. One that cannot
be planned keeps neither those of its page nor the pages behind from it: it stays among those that failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.db import connection, transaction

from boxoffice.cancellation.errors import NothingToTryAgain
from boxoffice.cancellation.owed import COMES_BACK, LEFT
from boxoffice.cancellation.plan_orders import HAND_LINES_ON, SENDING
from boxoffice.models import Cancellation
from boxoffice.models.order import subject_of
from inventory.models.show import subject_of as subject_of_show
from inventory.money import Money
from jobs.audit import require_reason
from jobs.enqueue import enqueue
from jobs.enqueue_selected import enqueue_selected
from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass
from jobs.new_job import require_transaction

log = structlog.get_logger(__name__)

TASK = "boxoffice.try_failed_again"

_Page = Sequence[tuple[int, int]]
"""Numbers of attempts, each with its payment's."""

PAGE = 500
"""Attempts of one transaction, which holds the locks of their payments."""

ANY_NUMBER = 2**63 - 1

IN_VAIN = (
    "charge_already_refunded",
    "charge_disputed",
    "charge_for_pending_refund_disputed",
    "expired_or_canceled_card",
    "lost_or_stolen_card",
    "refund_disputed_payment",
)
"""The provider's codes for what no further attempt can mend: the money goes back another way, or has gone already."""

# Attempts that failed, that no later one replaces, and of whose payment something is left that may go back: of one
# without an answer all that it had asked for, of others what those before them leave. All of a payment are in
# vain where it is with the bank. OFFSET lets what is left be summed once for each. By refund_of_cancellation, or by the
# foreign key's index.
_FAILED = f"""
    SELECT id, payment_id, currency, reason, in_vain,
           CASE WHEN in_vain THEN amount WHEN failure = 'unanswered' THEN amount
                ELSE least(amount, money_left - (taken - amount)) END AS amount
      FROM (SELECT refund.id, refund.payment_id, refund.currency, refund.reason, refund.failure, refund.amount,
                   payment.money_left, payment.in_vain OR refund.failure_code = ANY(%(codes)s::text[]) AS in_vain,
                   sum(CASE WHEN refund.failure = 'unanswered' OR refund.failure_code = ANY(%(codes)s::text[]) THEN 0
                            ELSE refund.amount END) OVER (PARTITION BY refund.payment_id ORDER BY refund.id) AS taken
              FROM boxoffice_refund AS refund
              JOIN LATERAL (SELECT {LEFT} AS money_left, NOT {COMES_BACK} AS in_vain, payment.method
                              FROM boxoffice_payment AS payment WHERE payment.id = refund.payment_id
                            OFFSET 0) AS payment ON payment.method = 'online'
             WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'failed'
               AND {{which}}
               AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id)
               AND NOT EXISTS (SELECT 1 FROM boxoffice_writeoff AS off
                                WHERE off.payment_id = refund.payment_id AND off.at >= refund.settled_at)) AS failed
     WHERE in_vain OR failure = 'unanswered' OR money_left > taken - amount
"""  # noqa: S608 - constants

COUNT = f"""
    SELECT in_vain, currency, count(*), sum(amount)::bigint, max(id)
      FROM ({_FAILED.format(which="refund.id <= %(until)s")}) AS failed
     GROUP BY in_vain, currency ORDER BY currency
"""  # noqa: S608 - constants

# By refund_of_cancellation.
NEXT_PAGE = """
    SELECT refund.id, refund.payment_id FROM boxoffice_refund AS refund
     WHERE refund.cancellation_id = %(cancellation)s AND refund.status = 'failed'
       AND refund.id > %(after)s AND refund.id <= %(until)s
       AND NOT EXISTS (SELECT 1 FROM boxoffice_refund AS later WHERE later.replaces_id = refund.id)
     ORDER BY refund.id LIMIT %(page)s
"""

# Whoever plans something of these payments, or takes an answer in, waits, or was waited for. By primary key.
LOCK_PAYMENTS = """
    SELECT id FROM boxoffice_payment WHERE id = ANY(%(payment_ids)s::bigint[]) ORDER BY id FOR NO KEY UPDATE
"""

PLAN = f"""
    INSERT INTO boxoffice_refund (payment_id, status, amount, currency, reason, idempotency_key, provider_id,
                                  created_at, failure, failure_code, failure_message, replaces_id, cancellation_id)
    SELECT payment_id, 'planned', amount, currency, reason, 'refund-' || gen_random_uuid(), '', jobs_now(), '', '', '',
           id, %(cancellation)s
      FROM ({_FAILED.format(which="refund.payment_id = ANY(%(payment_ids)s::bigint[])")}) AS failed
     WHERE NOT in_vain AND id = ANY(%(ids)s::bigint[]) ORDER BY id
    ON CONFLICT (replaces_id) DO NOTHING
    RETURNING id
"""  # noqa: S608 - constants

# As trying a single one is written down. By the primary keys and the foreign key's index.
WRITE_ACTIONS = """
    INSERT INTO boxoffice_orderaction (order_id, action, by, reason, at, details, line_ids, refund_id)
    SELECT payment.order_id, 'try again', %(by)s, %(reason)s, jobs_now(), '{}',
           coalesce((SELECT array_agg(line.id ORDER BY line.id) FROM boxoffice_orderline AS line
                      WHERE line.refund_id = refund.id), '{}'), refund.id
      FROM boxoffice_refund AS refund JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
     WHERE refund.id = ANY(%(again_ids)s::bigint[]) ORDER BY refund.id
"""

# By the primary keys.
JOBS = """
    SELECT jsonb_build_object('refund_id', refund.id) AS args, %(about)s || o.code AS subject
      FROM boxoffice_refund AS refund
      JOIN boxoffice_payment AS payment ON payment.id = refund.payment_id
      JOIN boxoffice_order AS o ON o.id = payment.order_id
     WHERE refund.id = ANY(%(again_ids)s::bigint[])
     ORDER BY refund.id
"""


@dataclass(frozen=True)
class FailedRefunds:
    """Those that another attempt can help: how many, their sums, the number of the newest. in_vain: how many it cannot
    help.
    """

    count: int
    money: Sequence[Money]
    newest: int
    in_vain: int


def failed_refunds(*, cancellation_id: int, until: int = ANY_NUMBER) -> FailedRefunds:
    """What failed of this cancellation, nobody has tried again, and is not written off. until: the number of the newest
    that counts. One query.
    """
    rows = _rows(COUNT, {"cancellation": cancellation_id, "until": until})
    useful = [row for row in rows if not row[0]]
    return FailedRefunds(
        count=sum(count for _vain, _currency, count, _sum, _newest in useful),
        money=[Money(amount, currency) for _vain, currency, _count, amount, _newest in useful],
        newest=max((newest for *_sums, newest in useful), default=0),
        in_vain=sum(row[2] for row in rows) - sum(row[2] for row in useful),
    )


def ask_to_try_again(*, show_id: int, until: int, by: str, reason: str) -> FailedRefunds:
    """Have a job try all again that failed and were known to the page that asked; returns what there is to try now.

    until: the number of the newest that the page counted; what has failed since is left. by, reason: kept in each
    order's trail. One transaction. Raises ReasonMissing, Cancellation.DoesNotExist and NothingToTryAgain.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        cancellation = Cancellation.objects.get(show_id=show_id)
        found = failed_refunds(cancellation_id=cancellation.pk, until=until)
        if not found.count:
            raise NothingToTryAgain
        _enqueue(cancellation, after=0, until=found.newest, by=by.strip(), reason=reason.strip())
    return found


def try_failed_again(*, cancellation_id: int, after: int, until: int, by: str, reason: str) -> int:
    """Plan another attempt for each of a page of those, and let the next page come; returns how many are planned.

    Part of the caller's transaction. What was tried, paid or written off meanwhile is passed over, and so is one that
    nothing can plan: it is logged, and stays where staff see it. Where that is so of all of the page, the cause is no
    single one's: raises it, and the job's replay goes on from here.
    """
    require_transaction(using="default")
    cancellation = Cancellation.objects.get(pk=cancellation_id)
    values: dict[str, Any] = {"cancellation": cancellation_id, "by": by, "reason": reason}
    rows = _rows(NEXT_PAGE, {**values, "after": after, "until": until, "page": PAGE})
    page = [(int(refund_id), int(payment_id)) for refund_id, payment_id in rows]
    if not page:
        return 0
    planned = _plan(page, values)
    if len(page) == PAGE:
        _enqueue(cancellation, after=page[-1][0], until=until, by=by, reason=reason)
    return planned


def _plan(page: _Page, values: Mapping[str, Any]) -> int:
    """The page at once; one by one where that fails of what no waiting mends."""
    try:
        return _plan_at_once(page, values)
    except Exception as error:
        if len(page) == 1 or classify(error) is not FailureClass.PERMANENT:
            raise
    planned, failures = 0, []
    for one in page:
        try:
            planned += _plan_at_once([one], values)
        except Exception as error:
            if classify(error) is not FailureClass.PERMANENT:
                raise
            log.exception("refund_not_tried_again", refund=one[0])
            failures.append(error)
    if len(failures) == len(page):
        raise failures[-1]
    return planned


def _plan_at_once(page: _Page, values: Mapping[str, Any]) -> int:
    values = {
        **values,
        "ids": [refund_id for refund_id, _payment in page],
        "payment_ids": sorted({payment_id for _refund, payment_id in page}),
    }
    with transaction.atomic():  # a savepoint, for ``_plan``
        _rows(LOCK_PAYMENTS, values)
        again_ids = [refund_id for (refund_id,) in _rows(PLAN, values)]
        for statement in (HAND_LINES_ON, WRITE_ACTIONS):
            with connection.cursor() as cursor:
                cursor.execute(statement, {**values, "again_ids": again_ids})
        params = {**values, "again_ids": again_ids, "about": subject_of(code="")}
        enqueue_selected(task=SENDING, rows=JOBS, params=params)
    return len(again_ids)


def _enqueue(cancellation: Cancellation, *, after: int, until: int, by: str, reason: str) -> None:
    enqueue(
        task=TASK,
        args={"cancellation_id": cancellation.pk, "after": after, "until": until, "by": by, "reason": reason},
        subject=subject_of_show(show_id=cancellation.show_id),
        unique_key=f"{TASK} {cancellation.pk} {after}-{until}",
    )


def _rows(sql: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {**values, "codes": list(IN_VAIN)})
        return cursor.fetchall()
