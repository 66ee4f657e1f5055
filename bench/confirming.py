"""Orders that wait for their confirmation, and fans who confirm them at a steady rate, whatever the server does."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.db import connection

from bench.hall import show_on_sale
from bench.server_time import HEADER
from boxoffice.place_order import place_order
from inventory.hold_seats import hold_seats
from inventory.models import Seat

SEATS = 2
NAME = "Bench Buyer"
CONNECTIONS = 32
TIMEOUT_SECONDS = 30
CSRF = "b" * 32
"""Any browser's token: the same one in the cookie and in the form is all that counts."""


@dataclass(frozen=True)
class Waiting:
    """An order of two free seats that is placed and not confirmed."""

    id: int
    code: str
    path: str
    form: str


def orders_that_wait(count: int) -> list[Waiting]:
    """Hold seats and place orders, so many, in a new show."""
    show = show_on_sale(seats=SEATS * count)
    seats = list(Seat.objects.filter(show=show).order_by("position").values_list("pk", flat=True))
    return [_waiting(show.pk, nth, seats[SEATS * nth : SEATS * (nth + 1)]) for nth in range(count)]


def _waiting(show_id: int, nth: int, seats: Sequence[int]) -> Waiting:
    hold = hold_seats(show_id=show_id, seat_ids=seats)
    email = f"buyer-{show_id}-{nth}@fans.example"
    order = place_order(hold_token=hold.token, name=NAME, email=email, language="en")
    form = urlencode({"csrfmiddlewaretoken": CSRF, "name": NAME, "email": email})
    return Waiting(order.pk, order.code, f"/holds/{hold.token}/", form)


class Took(NamedTuple):
    """Milliseconds of a request in the server: all of it; the confirmation alone, as its answer tells; and all of it
    on the processor of the web process.
    """

    ms: float
    confirm_ms: float
    cpu_ms: float


class Fans:
    """Fans with connections that stay open, at one web server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._own = threading.local()

    def confirm(self, orders: Sequence[Waiting], *, per_second: float) -> list[Took]:
        """Confirm each order at its time, one after the other or at once if need be; what each took in the server.

        Raises RuntimeError for an order that was not confirmed.
        """
        began = time.monotonic() + 0.1
        with ThreadPoolExecutor(CONNECTIONS) as pool:
            sent = []
            for nth, order in enumerate(orders):
                time.sleep(max(began + nth / per_second - time.monotonic(), 0))
                sent.append(pool.submit(self._confirm, order))
            return [one.result(60) for one in sent]

    def _confirm(self, order: Waiting) -> Took:
        if not hasattr(self._own, "line"):
            self._own.line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_SECONDS)
        line = self._own.line
        headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={CSRF}"}
        line.request("POST", order.path, order.form, headers)
        answer = line.getresponse()
        body = answer.read()
        if answer.status != 303:
            raise RuntimeError(f"Order {order.code} was answered {answer.status}: {body[:2000].decode()}")
        ms, cpu_ms = map(float, answer.headers[HEADER].split())
        return Took(ms, float(answer.headers["Server-Timing"].rpartition("confirm;dur=")[2]), cpu_ms)


def log_bytes_of(confirm: Callable[[Waiting], object], orders: Sequence[Waiting]) -> float:
    """What one confirmation adds to PostgreSQL's log, while nobody else writes."""
    before = _log_position()
    for order in orders:
        confirm(order)
    return (_log_position() - before) / len(orders)


def _log_position() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])
