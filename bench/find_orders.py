"""Finding one of a million orders: ``make bench-find-orders``.

First line: the worst of some twenty typical searches, each asked on a new connection, whose plans are cold, after the
tables were read once. The peer is what an admin searches with: ``icontains`` over code, name and address, which finds
neither seats, tickets and payments nor what is misspelt. Second line: the page of the list for the same searches.
Third line: what the words cost those who place and confirm an order, against the same database without them.

Figures are milliseconds of processor time, of this process and of PostgreSQL's beside it, since another load on the
machine does not stretch those; what passed on the clock stands beside them. A database that ``seed_volume`` has filled
already is measured by ``python -m bench.find_orders --here``.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import psutil
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import override_settings
from django.urls import reverse

from bench.confirming import orders_that_wait
from bench.report import report, say
from bench.scratch_database import scratch_database
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Order, OrderLine, Payment
from boxoffice.search.find_orders import find_orders
from boxoffice.volume.seed import seed_volume, tidy
from jobs import wakeup
from tickets.models import Ticket

MOST_MS = 200.0
"""A search may take so long."""

TARGET = 5.0
"""Times quicker than the plain search, at the worst."""

PLAIN_ONE_IN = 8
"""Searches of which one is put to the plain search as well: it reads all orders each time, whatever is typed."""

LEAST_ORDERS_FOR_TARGET = 500_000
"""With few orders reading all of them is quick as well."""

WORST_OF_COMMON = ("Müller", "Anna", "Anna Müller", "Maria Anna", "Ana Mueler", "Schmitd", "Thomas Schmidt Anna")
NOT_THERE = ("nobody@nowhere.example", "Xyzzy Plugh", "ZZZZZZZZ", "pi_3NobodyHasThis", "Balcony Z 99")

REMOVE_WORDS = """
    ALTER TABLE boxoffice_order DISABLE TRIGGER boxoffice_words_of_new;
    DROP INDEX IF EXISTS order_rare_status
"""
GIVE_WORDS = """
    ALTER TABLE boxoffice_order ENABLE TRIGGER boxoffice_words_of_new;
    CREATE INDEX IF NOT EXISTS order_rare_status ON boxoffice_order (status, placed_at DESC) WHERE status <> 'confirmed'
"""


PLAIN_FILES = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}


class Took(NamedTuple):
    """Milliseconds: on the processors, and on the clock."""

    cpu: float
    wall: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the worst search is quick, quicker than the plain one, and all find theirs."""
    parser = argparse.ArgumentParser(prog="python -m bench.find_orders", description="Finding one of many orders.")
    parser.add_argument("--orders", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--here", action="store_true", help="the configured database, filled before")
    options = parser.parse_args(arguments)
    with nullcontext() if options.here else scratch_database(name="find"):
        if not options.here:
            say(f"filling a database with {options.orders} orders")
            seed_volume(orders=options.orders, tell=lambda done: say(f"{done} made") if done % 100_000 == 0 else None)
            tidy()
        good = [_searches(options.rounds), _pages(options.rounds)]
        if not options.here:
            good.append(_placing(options.rounds))
        wakeup.close()
        connection.close()  # a database in use cannot be dropped
    return 0 if all(good) else 1


def typical_searches() -> dict[str, int | None]:
    """What is typed, and the order that must be among what is found; None where it does not matter which."""
    middle = Order.objects.order_by("pk")[Order.objects.count() // 2]
    ticket = Ticket.objects.filter(order_id=middle.pk).order_by("pk")[0]
    payment = Payment.objects.get(order=middle)
    seat = OrderLine.objects.filter(order=middle).select_related("seat").order_by("pk")[0].seat
    code, local = middle.code, middle.email.partition("@")[0]
    exact = (code, ticket.printed_code, payment.provider_id, payment.intent_id, f"#{payment.pk}", middle.email)
    near = (code[:3] + code[4] + code[3] + code[5:], code[:-1], ticket.code[1:], local[1:] + "@" + middle.email[-11:])
    seats = (f"{seat.row}{seat.number}", f"{seat.zone} {seat.row} {seat.number}", f"{middle.show.title} C12")
    found = dict.fromkeys((*exact, *near[:3]), middle.pk)
    return {**found, **dict.fromkeys((near[3], middle.name, *seats, *WORST_OF_COMMON, *NOT_THERE), None)}


def _searches(rounds: int) -> bool:
    wanted = typical_searches()
    for text in wanted:
        find_orders(text=text)
    sound = all(
        pk is None or pk in [hit.order_id for hit in find_orders(text=text).hits] for text, pk in wanted.items()
    )
    ours = {text: [_took(partial(find_orders, text=text)) for _ in range(rounds)] for text in wanted}
    plain = {text: [_took(partial(_plain_search, text)) for _ in range(2)] for text in list(wanted)[::PLAIN_ONE_IN]}
    return _report("search", ours, plain, "icontains over code, name and address", sound=sound)


@override_settings(STAFF_SECOND_FACTOR=False, STORAGES={**settings.STORAGES, "staticfiles": PLAIN_FILES})
def _pages(rounds: int) -> bool:
    user, _ = get_user_model().objects.get_or_create(username="bench-desk", is_superuser=True, is_staff=True)
    client, address = Client(SERVER_NAME="127.0.0.1"), reverse("admin:boxoffice_order_changelist")
    client.force_login(user)
    texts = list(typical_searches())

    def open_page(query: dict[str, str]) -> None:
        answer = client.get(address, query)
        if answer.status_code != 200 and not answer.headers.get("Location", "").endswith("/change/"):
            raise RuntimeError(f"The page for {query} was refused.")

    for text in texts:
        open_page({"q": text})
    ours = {text: [_took(partial(open_page, {"q": text})) for _ in range(rounds)] for text in texts}
    plain = {"": [_took(partial(open_page, {})) for _ in range(rounds)]}
    return _report("page", ours, plain, "the list without a search", target=0.1)


def _placing(rounds: int, orders: int = 150) -> bool:
    """Both ways by turns, each in a show of its own: hold, place and confirm."""

    def place_and_confirm() -> None:
        for order in orders_that_wait(orders):
            confirm_order(order_id=order.id)

    place_and_confirm()
    took: dict[bool, list[float]] = {True: [], False: []}
    for nth in range(2 * rounds):
        with_words = nth % 2 == 0
        _run(GIVE_WORDS if with_words else REMOVE_WORDS)
        took[with_words].append(_took(place_and_confirm, cold=False).cpu / orders)
    _run(GIVE_WORDS)
    return report(
        bench="find_orders", ours=took[True], peer=took[False], peer_name="the same without words and their index",
        unit="ms, hold, place and confirm one order", target=0.8, lower_is_better=True, what="placing",
    )  # fmt: skip


def _report(
    what: str, ours: dict[str, list[Took]], plain: dict[str, list[Took]], peer_name: str, *, sound: bool = True,
    target: float | None = None,
) -> bool:  # fmt: skip
    each = {text: median(took.cpu for took in rounds) for text, rounds in ours.items()}
    worst = max(each, key=lambda text: each[text])
    peer = max(plain.values(), key=lambda rounds: median(took.cpu for took in rounds))
    for text, ms in sorted(each.items(), key=lambda pair: -pair[1]):
        say(f"{what}: {ms:6.1f} ms, {median(took.wall for took in ours[text]):6.1f} on the clock: {text}")
    count = Order.objects.count()
    least = target if target is not None else TARGET if count >= LEAST_ORDERS_FOR_TARGET else 0.1
    return report(
        bench="find_orders", ours=[took.cpu for took in ours[worst]], peer=[took.cpu for took in peer],
        peer_name=peer_name, unit="ms on the processors, the worst search", target=least, lower_is_better=True,
        sound=sound and each[worst] <= MOST_MS, what=what, worst=worst, searches=len(each), orders=count,
        median_ms=round(median(each.values()), 1),
        worst_on_the_clock_ms=round(max(median(took.wall for took in rounds) for rounds in ours.values()), 1),
    )  # fmt: skip


def _plain_search(text: str) -> list[Order]:
    meant = Q()
    for word in text.split():
        meant &= Q(code__icontains=word) | Q(name__icontains=word) | Q(email__icontains=word)
    orders = Order.objects.filter(meant)
    orders.count()
    return list(orders.select_related("show__venue").order_by("-placed_at")[:50])


def _took(work: Callable[[], Any], *, cold: bool = True) -> Took:
    if cold:
        connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0])
    began, used, served = time.perf_counter(), time.process_time(), _used_by(server)
    work()
    wall, own = time.perf_counter() - began, time.process_time() - used
    return Took(cpu=1000 * (own + _used_by(server) - served), wall=1000 * wall)


def _used_by(server: psutil.Process) -> float:
    times = server.cpu_times()
    return float(times.user + times.system)


def _run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


if __name__ == "__main__":
    sys.exit(main())
