"""Web processes never open a connection to the broker: a sale needs PostgreSQL and nothing else (I13)."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass

import pytest

from deploy.local.fan import Fan
from deploy.local.purchase import buy_tickets
from inventory.models import Show
from jobs.models import Job
from tests.fixtures_jobs import environment
from tests.network import CountingPort
from tests.ports import free_ports
from tests.processes import Process, procfile_command, wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Web:
    """A web process with the port at which it would look for its broker; None where nobody listens."""

    address: str
    process: Process
    broker: CountingPort | None


@pytest.fixture
def webs(transactional_db: None) -> Iterator[list[Web]]:
    """A web process for each kind of broker, and one whose broker does not exist, all started at once."""
    with ExitStack() as open_ports:
        ports = {scheme: open_ports.enter_context(closing(CountingPort())) for scheme in ("redis", "amqp")}
        brokers = [(f"{scheme}://127.0.0.1:{port.port}/", port) for scheme, port in ports.items()]
        brokers.append((f"amqp://127.0.0.1:{free_ports(1)[0]}/", None))
        started = [
            Web(f"http://127.0.0.1:{port}", _start(port, url), broker)
            for (url, broker), port in zip(brokers, free_ports(len(brokers)), strict=True)
        ]
        try:
            for web in started:
                web.process.wait_until_ready()
            yield started
        finally:
            for web in started:
                web.process.kill()
                # pytest shows this only for a test that failed
                print(f"--- {web.address} ---\n", "".join(web.process.output[-60:]))  # noqa: T201


def test_a_whole_sale_over_http_opens_no_connection_to_a_broker_that_is_there_or_away(
    webs: list[Web], show_on_sale: Show
) -> None:
    for sold, web in enumerate(webs, start=1):
        fan = Fan(web.address)
        assert fan.get("/healthz").status == 200
        assert fan.get("/admin/login/").status == 200
        purchase = buy_tickets(fan, seats=2, name="Ada Lovelace", email="ada@example.org")
        assert fan.get(purchase.order_url).status == 200
        assert Job.objects.filter(task="tickets.issue_tickets", state="waiting").count() == sold
    for web in webs:
        web.process.terminate()  # whatever it does at its end, it does without the broker too
        assert web.broker is None or web.broker.connections == []


def test_the_port_of_these_tests_counts_who_connects() -> None:
    with closing(CountingPort()) as port, closing(socket.create_connection(("127.0.0.1", port.port), timeout=10)):
        wait_for(lambda: len(port.connections) == 1, what="the visit is counted")


def _start(port: int, broker: str) -> Process:
    """The web process as the Procfile has it, with one worker since three of them start at once."""
    variables = environment(broker) | {"PORT": str(port), "PUBLIC_URL": f"http://127.0.0.1:{port}"}
    command = procfile_command("web", variables)
    # Of an option that is given twice, the last one counts.
    command[-1:] = ["--workers", "1", "--log-level", "info", command[-1]]
    return Process("web", command, variables, ready="Started worker")
