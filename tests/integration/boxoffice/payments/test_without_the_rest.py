"""A sale needs PostgreSQL and the payment provider, nothing else; and is made good when the rest is back."""

from __future__ import annotations

import re
import sys
import urllib.parse
from collections.abc import Callable

import pytest

from boxoffice.models import Order
from deploy.local.fan import Fan
from deploy.local.purchase import buy_tickets
from inventory.models import Show
from jobs.models import Job
from tests.fixtures_jobs import broker_url, empty, environment
from tests.fixtures_payments import Payments
from tests.fixtures_storefront import answers
from tests.ports import free_ports
from tests.processes import Process, System, wait_for
from tickets.models import Ticket


@pytest.mark.django_db(transaction=True)
def test_with_broker_redis_mail_and_workers_gone_a_fan_holds_pays_and_reads_confirmed(
    make_show: Callable[..., Show], payments: Payments
) -> None:
    make_show(prices={"Front": 4200, "House": 1200})
    (port, nobody) = free_ports(2)
    gone = environment(f"redis://127.0.0.1:{nobody}/0") | {
        "REDIS_URL": f"redis://127.0.0.1:{nobody}/1",
        "EMAIL_URL": f"smtp://127.0.0.1:{nobody}",
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "STRIPE_API_BASE": payments.address,
    }
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    web = Process("web", [*command, "--no-ws", "config.wsgi:application"], gone, ready="Started worker")
    try:
        web.wait_until_ready()
        wait_for(lambda: answers(port), what="the web server listens")
        fan = Fan(f"http://127.0.0.1:{port}")
        bought = buy_tickets(fan, seats=2, name="Ada Lovelace", email="ada@example.org")
        assert re.search(r"<h1>\s*Confirmed", fan.get(urllib.parse.urlsplit(bought.order_url).path).text)
    finally:
        web.kill()
        print("".join(web.output[-40:]))  # noqa: T201 - pytest shows it for a test that failed
    order = Order.objects.get()
    assert (order.status, order.total) == ("confirmed", 8400)

    url = broker_url("redis")
    empty(url)
    back = System(environment(url) | {"STRIPE_API_BASE": payments.address})
    try:
        back.start_worker(queues="default,tickets,payments")
        back.start_relay()
        wait_for(lambda: set(Ticket.objects.values_list("status", flat=True)) == {"issued"}, what="tickets issued")
        assert Job.objects.filter(task="tickets.issue_tickets", state="done").count() == 1
    finally:
        back.stop()
