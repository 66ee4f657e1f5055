"""Confirming an order through the ledger, and with all of it in the request: ``make bench-checkout``.

Measured is the time in the server of the request that confirms: the form of a free order, whose seats are held and
which is placed beforehand, so that the confirmation is left. It touches PostgreSQL only, as does the same step of an
order that was paid, behind the payment provider's answer. The web servers are those of production.

First at one order a second, in alternating rounds: through the ledger, with relay and workers at work; and with
``NOTIFY_MODE=sync`` at a mail provider that takes 300 ms, relay and workers standing still. Then through the ledger
alone at 50 orders a second, while the workers, niced, lag behind. What counts is the step that confirms, as the
answer's Server-Timing tells it; the whole request, which also finds the order again, stands beside it.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
from collections.abc import Sequence
from statistics import median

from django.db import connection

from bench.checkout_system import PROVIDER_MS, WORKER_NICE, CheckoutSystem, running_checkout, unfinished
from bench.confirming import SEATS, Took, Waiting, log_bytes_of, orders_that_wait
from bench.report import report, say
from bench.system import broker_name
from boxoffice.confirm_order import QUERIES_TO_CONFIRM, confirm_order

TIMES_FASTER = 30.0
CALM, BUSY = 1.0, 50.0
"""Orders a second."""
P50_MS, P99_MS = 10.0, 50.0
WARM = 12
"""Orders that each web server confirms before anything counts: code, connections, plans, fonts."""

TOLD = "SELECT count(DISTINCT recipient), count(*) FROM notifications_notification WHERE status = 'sent'"
CONFIRMED = """
    SELECT count(*) FILTER (WHERE status = 'confirmed'),
           (SELECT count(*) FROM jobs_job WHERE task = 'tickets.issue_tickets' AND state <> 'dead')
    FROM boxoffice_order
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when both comparisons were good enough."""
    parser = argparse.ArgumentParser(prog="python -m bench.checkout", description="The request that confirms.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calm-seconds", type=float, default=8)
    parser.add_argument("--busy-seconds", type=float, default=8)
    options = parser.parse_args(arguments)
    with running_checkout() as system:
        calm = _against_the_slow_way(system, rounds=options.rounds, seconds=options.calm_seconds)
        busy = _at_full_speed(system, rounds=options.rounds, seconds=options.busy_seconds)
        connection.close()
    return 0 if calm and busy else 1


def _against_the_slow_way(system: CheckoutSystem, *, rounds: int, seconds: float) -> bool:
    orders = orders_that_wait(2 * (WARM + rounds * round(CALM * seconds)) + WARM)
    system.ours.confirm(_take(orders, WARM), per_second=10)
    system.settle()
    system.pause()
    log_bytes = log_bytes_of(lambda order: confirm_order(order_id=order.id), _take(orders, WARM))
    system.resume()
    system.settle()
    system.pause()
    system.peer.confirm(_take(orders, WARM), per_second=2)
    ours: list[list[Took]] = []
    peer: list[list[Took]] = []
    for number in range(rounds):
        for way in ("ours", "peer") if number % 2 else ("peer", "ours"):
            batch = _take(orders, round(CALM * seconds))
            if way == "ours":
                system.resume()
                ours += [system.ours.confirm(batch, per_second=CALM)]
                system.settle()
                system.pause()
            else:
                peer += [system.peer.confirm(batch, per_second=CALM)]
        middle, slow = (median(_steps(one[-1])) for one in (ours, peer))
        say(f"round {number + 1}: p50 {middle:.1f} ms, the slow way {slow:.0f} ms")
    system.resume()
    system.settle()
    whole, slow_whole = (median(median(_whole(one)) for one in way) for way in (ours, peer))
    return report(
        bench="checkout",
        ours=[median(_steps(one)) for one in ours],
        peer=[median(_steps(one)) for one in peer],
        peer_name="NOTIFY_MODE=sync",
        unit="ms in the server",
        target=TIMES_FASTER,
        lower_is_better=True,
        sound=not orders and _each_was_told_once(system),
        orders_per_second=CALM,
        provider_ms=PROVIDER_MS,
        seats=SEATS,
        slowest=round(max(max(_steps(one)) for one in ours), 1),
        peer_fastest=round(min(min(_steps(one)) for one in peer), 1),
        request_ms=round(whole, 1),
        peer_request_ms=round(slow_whole, 1),
        request_ratio=round(slow_whole / whole, 1),
        statements=QUERIES_TO_CONFIRM,
        log_bytes=round(log_bytes),
        broker=broker_name(),
    )


def _at_full_speed(system: CheckoutSystem, *, rounds: int, seconds: float) -> bool:
    orders = orders_that_wait(rounds * round(BUSY * seconds))
    took: list[list[Took]] = []
    behind = []
    for number in range(rounds):
        took += [system.ours.confirm(_take(orders, round(BUSY * seconds)), per_second=BUSY)]
        behind += [unfinished()]
        steps = _steps(took[-1])
        say(
            f"round {number + 1}: p50 {_at(steps, 0.5):.1f} ms, p99 {_at(steps, 0.99):.1f} ms, {behind[-1]} jobs behind"
        )
    confirming = [_steps(each) for each in took]
    whole = [_whole(each) for each in took]
    middle = median(_at(one, 0.5) for one in confirming)
    return report(
        bench="checkout under load",
        ours=[_at(one, 0.99) for one in confirming],
        peer=[P99_MS],
        peer_name="the figure to reach (constant)",
        unit="ms in the server, p99",
        target=1.0,
        lower_is_better=True,
        sound=middle <= P50_MS and _all_confirmed(),
        orders_per_second=BUSY,
        orders=sum(map(len, took)),
        p50=round(middle, 1),
        p50_to_reach=P50_MS,
        request_p50=round(median(_at(one, 0.5) for one in whole), 1),
        request_p99=round(median(_at(one, 0.99) for one in whole), 1),
        request_processor_ms=round(median(one.cpu_ms for each in took for one in each), 1),
        workers_niced=WORKER_NICE,
        jobs_behind=behind,
        broker=broker_name(),
    )


def _take(orders: list[Waiting], count: int) -> list[Waiting]:
    taken, orders[:] = orders[:count], orders[count:]
    return taken


def _steps(took: Sequence[Took]) -> list[float]:
    """Of the confirmations, fastest first."""
    return sorted(one.confirm_ms for one in took)


def _whole(took: Sequence[Took]) -> list[float]:
    """Of the whole requests, fastest first."""
    return sorted(one.ms for one in took)


def _at(times: Sequence[float], share: float) -> float:
    return times[int(share * (len(times) - 1))]


def _each_was_told_once(system: CheckoutSystem) -> bool:
    """One mail for each order, whichever way it was confirmed."""
    with connection.cursor() as cursor:
        cursor.execute(TOLD)
        recipients, mails = cursor.fetchone()
    return bool(recipients == mails == system.mails()) and _all_confirmed()


def _all_confirmed() -> bool:
    """No order of ours is unconfirmed, and each has its job."""
    with connection.cursor() as cursor:
        cursor.execute(CONFIRMED)
        confirmed, jobs = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM boxoffice_order")
        return bool(confirmed == jobs == cursor.fetchone()[0])


if __name__ == "__main__":
    sys.exit(main())
