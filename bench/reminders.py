"""Planning the reminders of tens of thousands of orders: ``make bench-reminders``.

Ours is ``plan_reminders``, page by page in one statement each. The peer plans one reminder after the other: a row, a
notification and one ``enqueue`` for each order, in transactions of as many orders. The ways take turns in one database,
with the commits counted. The peer is so slow that it gets a part of the orders; what counts is the rate.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from statistics import median

from django.db import connection, transaction

from bench.hall import show_on_sale
from bench.report import report, say
from bench.scratch_database import scratch_database
from boxoffice.messages import reminder
from boxoffice.models import Order, Reminder
from boxoffice.plan_reminders import PAGE, orders_to_remind, plan_reminders
from inventory.models import Show
from jobs import wakeup
from jobs.clock import DatabaseNow
from notifications.plan import plan_notification

TARGET = 10.0
MOST_SECONDS = 10.0
"""For all of the 60,000 that the design names."""

ORDERS_OF_SHOW = """
    WITH holds AS (
        INSERT INTO inventory_hold (show_id, token, seat_ids, prices, currency, status, expires_at, created_at)
        SELECT %(show_id)s, gen_random_uuid(), '{1}', '{0}', 'EUR', 'confirmed', jobs_now() - interval '1 day',
               jobs_now() - interval '2 days'
        FROM generate_series(1, %(orders)s)
        RETURNING id
    )
    INSERT INTO boxoffice_order (code, token, hold_id, show_id, name, email, language, status, total, currency,
                                 placed_at, confirmed_at)
    SELECT 'B' || id, gen_random_uuid(), id, %(show_id)s, 'Ada Lovelace', 'ada' || id || '@example.org', 'en',
           'confirmed', 0, 'EUR', jobs_now() - interval '2 days', jobs_now() - interval '2 days'
    FROM holds
"""
ANALYZE = "VACUUM (ANALYZE) boxoffice_order, inventory_hold, inventory_show"
FORGET = "TRUNCATE boxoffice_reminder, notifications_notification, jobs_job, jobs_lease"
COUNT = """
    SELECT (SELECT count(*) FROM boxoffice_reminder), (SELECT count(*) FROM notifications_notification),
           (SELECT count(*) FROM jobs_job)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when planning is fast enough, beside the peer and by the clock."""
    parser = argparse.ArgumentParser(prog="python -m bench.reminders", description="Tens of thousands of reminders.")
    parser.add_argument("--orders", type=int, default=60_000)
    parser.add_argument("--shows", type=int, default=20)
    parser.add_argument("--peer-orders", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with scratch_database(name="reminders"):
        good = _compare(**vars(options))
        wakeup.close()
    return 0 if good else 1


def _compare(*, orders: int, shows: int, peer_orders: int, rounds: int) -> bool:
    for _ in range(shows):
        _show_with_orders(orders // shows)
    with connection.cursor() as cursor:
        cursor.execute(ANALYZE)
    everything = orders // shows * shows
    ours: list[float] = []
    peer: list[float] = []
    nothing_left: list[float] = []

    def run_ours() -> None:
        ours.append(_seconds(lambda: plan_reminders(), everything))
        nothing_left.append(_clocked(orders_to_remind))

    def run_peer() -> None:
        peer.append(_seconds(lambda: _one_by_one(peer_orders), peer_orders))

    for number in range(rounds):
        for run in (run_ours, run_peer) if number % 2 else (run_peer, run_ours):
            run()
        say(f"ours {ours[-1]:.2f} s for {everything}, peer {peer[-1]:.2f} s for {peer_orders}")
    seconds = median(ours) * 60_000 / everything
    return report(
        bench="reminders",
        ours=[everything / took for took in ours],
        peer=[peer_orders / took for took in peer],
        peer_name="plan_notification and enqueue for one order after the other",
        unit="reminders/s",
        target=TARGET,
        sound=seconds <= MOST_SECONDS,
        seconds_for_60000=round(seconds, 2),
        most_seconds=MOST_SECONDS,
        peer_orders=peer_orders,
        page=PAGE,
        ms_when_all_are_planned=round(median(nothing_left) * 1000),
    )


def _show_with_orders(orders: int) -> None:
    show = show_on_sale(seats=50)
    Show.objects.filter(pk=show.pk).update(starts_at=DatabaseNow() + timedelta(hours=23), doors_at=DatabaseNow())
    with connection.cursor() as cursor:
        cursor.execute(ORDERS_OF_SHOW, {"show_id": show.pk, "orders": orders})


def _one_by_one(orders: int) -> None:
    """The plain way."""
    due = orders_to_remind()[:orders]
    for start in range(0, len(due), PAGE):
        with transaction.atomic():
            for order in Order.objects.filter(pk__in=due[start : start + PAGE]).iterator():
                Reminder.objects.create(order_id=order.pk, show_id=order.show_id)
                plan_notification(
                    kind=reminder.KIND,
                    subject=order.subject,
                    recipient=order.email,
                    language=order.language,
                    task="boxoffice.send_message",
                )


def _seconds(way: Callable[[], object], expected: int) -> float:
    """Into empty tables, and all of it."""
    with connection.cursor() as cursor:
        cursor.execute(FORGET)
        took = _clocked(way)
        cursor.execute(COUNT)
        if cursor.fetchone() != (expected, expected, expected):
            raise AssertionError("not every reminder was planned, or some more than once")
    return took


def _clocked(way: Callable[[], object]) -> float:
    began = time.perf_counter()
    way()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
