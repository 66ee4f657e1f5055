"""How long the page of sales takes for sixty days of a busy house: ``make bench-sales``.

A hundred shows with three thousand paid orders each are filled in, and counted as the job counts them. Ours is the page
as it is, asked for through Django's stack by somebody who sees every show. The peer is the plain way: the same page,
the takings of which are summed up from the orders with each look. Both must tell the same net sum, and the proof must
hold. Rounds alternate, after one of each to warm up. Beside the ratio stand what the page and a count take; the page's
processor time, in web process and database, is what other load does not stretch.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from unittest.mock import patch

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client, override_settings

from bench.busy_house import fill_busy_house
from bench.processor_time import processor_ms
from bench.report import report, say
from bench.scratch_database import scratch_database
from boxoffice.sales import read_takings
from boxoffice.sales.count_sales import count_sales
from boxoffice.sales.prove_takings import prove_takings
from boxoffice.sales.statements import TAKINGS_OF_ORDERS
from inventory.models import Show

PAGE = "/admin/boxoffice/takings/?period=60"
LIMIT_MS = 300
TARGET = 3.0
"""Where reading the orders is nearly as quick, the tables are not worth their job."""

# Nothing of a show is left out, and PostgreSQL may join as it likes.
FROM_ORDERS = re.sub(r"o\.show_id = ANY\(%\(show_ids\)s::bigint\[\]\) AND ", "", TAKINGS_OF_ORDERS).replace(
    "OFFSET 0", ""
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the figures are good enough and right."""
    parser = argparse.ArgumentParser(prog="python -m bench.sales", description="The page of sales of a busy house.")
    parser.add_argument("--shows", type=int, default=100)
    parser.add_argument("--orders", type=int, default=3_000, help="of each show (3000, which is the most)")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with (
        override_settings(STAFF_SECOND_FACTOR=False, ALLOWED_HOSTS=["testserver"], STORAGES=settings.STORAGES | plain),
        scratch_database(name="sales"),
    ):
        return 0 if _compare(**vars(options)) else 1


def _compare(*, shows: int, orders: int, rounds: int) -> bool:
    began = perf_counter()
    sold = fill_busy_house(shows=shows, orders=orders)
    say(f"{sold} orders in {perf_counter() - began:.0f} s")
    counts = [_timed_count(show_id) for show_id in Show.objects.values_list("pk", flat=True)]
    again = _timed_count(Show.objects.values_list("pk", flat=True)[0])
    began = perf_counter()
    proof = prove_takings()
    proved = perf_counter() - began
    client = Client()
    client.force_login(get_user_model().objects.create_superuser("operator"))
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    used: list[float] = []
    both = (os.getpid(), connection.connection.info.backend_pid)
    nets: set[str] = set()
    for number in range(rounds + 1):
        for name in ("ours", "peer") if number % 2 else ("peer", "ours"):
            before = processor_ms(both)
            with _reading(name):
                took, net = _open(client)
            nets.add(net)
            if number:
                times[name].append(took)
            if number and name == "ours":
                used.append(processor_ms(both) - before)
            say(f"round {number}, {name}: {took:.0f} ms, net {net}")
    return report(
        bench="sales",
        **times,
        peer_name="summed up from the orders with each look",
        unit="ms",
        lower_is_better=True,
        target=TARGET,
        sound=proof.holds and len(nets) == 1,
        limit_ms=LIMIT_MS,
        within_limit=median(times["ours"]) <= LIMIT_MS,
        processor_ms=round(median(used)),
        quickest_ms=round(min(times["ours"]), 1),
        first_count_ms=round(1000 * median(counts), 1),
        next_count_ms=round(1000 * again, 1),
        proof_s=round(proved, 1),
        shows=shows,
        orders=sold,
    )


def _timed_count(show_id: int) -> float:
    began = perf_counter()
    with transaction.atomic():
        count_sales(show_id=show_id)
    return perf_counter() - began


def _open(client: Client) -> tuple[float, str]:
    """Milliseconds of the whole answer, and the net sum that it tells."""
    began = perf_counter()
    answer = client.get(PAGE)
    took = 1000 * (perf_counter() - began)
    found = re.search(r'<div class="main"><dt>[^<]*</dt><dd>([^<]*)</dd>', answer.content.decode())
    if answer.status_code != 200 or found is None:
        raise RuntimeError(f"The page answered with {answer.status_code} and without its figures.")
    return took, found[1]


@contextmanager
def _reading(name: str) -> Iterator[None]:
    if name == "ours":
        yield
        return
    from_orders = read_takings.TAKINGS.replace("boxoffice_takings", f"({FROM_ORDERS}) AS takings")
    with patch.object(read_takings, "TAKINGS", from_orders):
        yield


if __name__ == "__main__":
    sys.exit(main())
