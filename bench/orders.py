"""Completed free orders a minute over HTTP, from the show's page to the mail in the mailbox: ``make bench-orders``.

Buyers without pause buy two tickets each, again and again: they open the show, take the best two seats, give a name
and an address, and watch the order page as a browser does until tickets and mail are out. The whole stack runs on this
machine beside them. CPU seconds are those of all the stack's processes, servers and broker included, but not of the
buyers. The peer's figures are those of a known ticket shop on two cores; it does not run here, so they are constants
of this file and not measured in the same run.
"""

from __future__ import annotations

import html
import os
import re
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count

import psutil

from bench.report import report, say
from deploy.local.checkout import Instance
from deploy.local.fan import Fan, Form, Page, PurchaseFailed
from deploy.local.preparation import manage
from deploy.local.purchase import server_times
from deploy.local.stack import Stack, running_stack, stack_environment

PEER_A_MINUTE = {1: 54.0, 4: 111.0, 16: 125.0}
TARGET = 10.0
SECONDS = 20.0
SHOWS, SEATS_PER_SHOW = 30, 200
FINISHED_SECONDS = 30.0


@dataclass(frozen=True)
class Round:
    """One number of buyers for some seconds."""

    orders: int
    seconds: float
    cpu_seconds: float
    confirm_ms: list[float]

    @property
    def a_minute(self) -> float:
        return 60 * self.orders / self.seconds


def main() -> int:
    """Measure 1, 4 and 16 buyers; the exit status says whether all reached the target."""
    instance = Instance("bench")
    environment = stack_environment(os.environ, instance=instance)
    manage(environment, "migrate", "--verbosity", "0")
    manage(environment, "collectstatic", "--no-input", "--verbosity", "0")
    addresses = _shows(environment)
    with running_stack(environment, instance=instance, log=instance.folder / "stack.log") as stack:
        _buy_for(stack, addresses, buyers=2, seconds=3)  # warm: code, fonts, connections
        good = [_measure(stack, addresses, buyers=buyers) for buyers in (1, 4, 16)]
    return 0 if all(good) else 1


def _measure(stack: Stack, addresses: list[str], *, buyers: int) -> bool:
    measured = _buy_for(stack, addresses, buyers=buyers, seconds=SECONDS)
    confirm = sorted(measured.confirm_ms)
    return report(
        bench="orders",
        ours=[measured.a_minute],
        peer=[PEER_A_MINUTE[buyers]],
        peer_name="a known ticket shop on 2 cores (constant, not in this run)",
        unit="orders/min",
        target=TARGET,
        buyers=buyers,
        broker=stack.environment["BROKER_URL"].partition(":")[0],
        cpu_seconds_per_order=round(measured.cpu_seconds / max(measured.orders, 1), 3),
        confirm_ms_p50=confirm[len(confirm) // 2],
        confirm_ms_p99=confirm[int(len(confirm) * 0.99)],
    )


def _buy_for(stack: Stack, addresses: list[str], *, buyers: int, seconds: float) -> Round:
    numbers = count()
    began, cpu = time.monotonic(), _cpu_seconds()

    def shop(_buyer: int) -> list[float]:
        confirms = []
        while time.monotonic() - began < seconds:
            number = next(numbers)
            confirms.append(_buy(stack, address=addresses[number % len(addresses)], number=number))
        return confirms

    with ThreadPoolExecutor(buyers) as pool:
        confirms = [ms for shopped in pool.map(shop, range(buyers)) for ms in shopped]
    took = time.monotonic() - began
    say(f"{buyers} buyers: {len(confirms)} orders in {took:.1f} s")
    return Round(len(confirms), took, _cpu_seconds() - cpu, confirms)


def _buy(stack: Stack, *, address: str, number: int) -> float:
    """One order from page to mail; returns the server's time for the confirmation in milliseconds."""
    fan = Fan(stack.url)
    show = fan.get(address)
    best = (("how", "best"), ("tier", _first_tier(show)), ("count", "2"))
    checkout = fan.follow(fan.send(_form(show, "seats"), *best, page=show))
    buyer = (("name", "Bench Buyer"), ("email", f"buyer-{number}@fans.example"))
    bought = fan.send(_form(checkout, "email"), *buyer, page=checkout)
    _watch(fan, fan.follow(bought))
    return server_times(bought)["confirm"]


def _watch(fan: Fan, page: Page) -> None:
    """Ask for the order's status as its page does in a browser, until it says that tickets and mail are out."""
    deadline = time.monotonic() + FINISHED_SECONDS
    while question := re.search(r'hx-get="([^"]+)" hx-trigger="load delay:(\d+)ms"', page.text):
        if time.monotonic() > deadline:
            raise PurchaseFailed(f"Not finished in {FINISHED_SECONDS} s: {page.url}")
        time.sleep(int(question[2]) / 1000)
        page = fan.get(html.unescape(question[1]))
    if page.status != 200:
        raise PurchaseFailed(f"{page.url} answered {page.status}")


def _first_tier(page: Page) -> str:
    tier = re.search(r'<select name="tier"><option value="(\d+)"', page.text)
    if tier is None:
        raise PurchaseFailed(f"{page.url} offers no best seats: {page.status}")
    return tier[1]


def _form(page: Page, field: str) -> Form:
    form = page.form_with(field)
    if form is None:
        raise PurchaseFailed(f"{page.url} has no form with {field}: {page.status}")
    return form


def _shows(environment: Mapping[str, str]) -> list[str]:
    os.environ.update(environment)
    import bench.setup_django  # noqa: F401
    from bench.hall import show_on_sale

    return [f"/shows/{show_on_sale(seats=SEATS_PER_SHOW).slug}/" for _ in range(SHOWS)]


def _cpu_seconds() -> float:
    """Of the Procfile's processes and the servers beside them; not of the buyers, nor of the sandbox."""
    family = [
        process for process in psutil.Process(os.getppid()).children(recursive=True) if process.pid != os.getpid()
    ]
    return sum(_cpu_of(process) for process in [*family, *_postgres()])


def _postgres() -> list[psutil.Process]:
    """PostgreSQL's processes, where it runs on this machine: its server belongs to another account and family."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(cursor.fetchone()[0]).parent()
    return [server, *server.children()] if server else []


def _cpu_of(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
        return 0.0 if "sandbox" in process.cmdline() else times.user + times.system
    except psutil.NoSuchProcess:
        return 0.0


if __name__ == "__main__":
    sys.exit(main())
