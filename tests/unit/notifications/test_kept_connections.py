"""Connections to mail servers: kept from one mail to the next, never shared, never left open."""

from __future__ import annotations

import gc
import os
import smtplib
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from notifications.channels.email import kept, smtp
from notifications.channels.email.compose import compose
from notifications.channels.email.kept import MOST_MESSAGES, Kept
from notifications.errors import MailServerUnavailable
from tests.fixtures_notifications import content
from tests.ports import free_ports
from tests.processes import status_of_child, wait_for, wait_for_end


class Connections:
    """Counts what is opened and closed."""

    def __init__(self) -> None:
        self.opened, self.closed = [], []
        self.dead: set[int] = set()
        self.kept = Kept(opened=self._open, alive=lambda each: each not in self.dead, closed=self.closed.append)

    def _open(self) -> int:
        self.opened.append(len(self.opened))
        return self.opened[-1]

    def use(self, settings: str = "a") -> int:
        return self.kept.connection(made_by=settings)


@pytest.fixture
def connections() -> Iterator[Connections]:
    made = Connections()
    yield made
    made.kept.drop()


def test_the_next_mail_goes_through_the_same_connection_until_many_have_gone(connections: Connections) -> None:
    assert {connections.use() for _ in range(MOST_MESSAGES)} == {0}
    assert connections.use() == 1
    assert connections.closed == [0]


def test_a_connection_that_the_server_closed_costs_no_mail(connections: Connections) -> None:
    connections.use()
    connections.dead.add(0)
    assert connections.use() == 1


def test_one_that_was_silent_for_long_is_not_trusted(connections: Connections, monkeypatch: pytest.MonkeyPatch) -> None:
    connections.use()
    monkeypatch.setattr(kept, "LONGEST_IDLE", 0)
    assert connections.use() == 1


def test_other_settings_mean_another_connection(connections: Connections) -> None:
    assert (connections.use("a"), connections.use("b"), connections.closed) == (0, 1, [0])


def test_after_an_error_the_connection_is_closed_and_another_one_opened(connections: Connections) -> None:
    connections.use()
    connections.kept.drop()
    connections.kept.drop()
    assert (connections.use(), connections.closed) == (1, [0])


def test_each_thread_has_its_own_which_ends_with_it(connections: Connections) -> None:
    connections.use()
    used: list[int] = []
    thread = threading.Thread(target=lambda: used.extend(connections.use() for _ in range(3)))
    thread.start()
    wait_for_end(thread)
    gc.collect()
    assert (used, connections.closed, connections.use()) == ([1, 1, 1], [1], 0)


def test_a_forked_process_opens_its_own_and_leaves_its_parents_alone(connections: Connections) -> None:
    connections.use()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        mine = connections.use()
        os.write(writing, f"{mine} {connections.closed}".encode())
        os._exit(0)
    status_of_child(child)
    assert os.read(reading, 100) == b"1 []"
    os.close(reading)
    os.close(writing)


def test_what_is_open_at_the_end_of_the_process_is_closed(connections: Connections) -> None:
    connections.use()
    kept._close_all()
    assert connections.closed == [0]


class Hall:
    """A mail server that counts who comes in, and can throw everybody out."""

    def __init__(self) -> None:
        self.sessions: set[int] = set()
        self.mails = 0
        self.servers: list[SMTP] = []

    async def handle_EHLO(self, server: SMTP, session: Any, envelope: Any, name: str, answers: list[str]) -> list[str]:  # noqa: N802
        self.sessions.add(id(session))
        self.servers.append(server)
        session.host_name = name
        return answers

    async def handle_DATA(self, server: SMTP, session: Any, envelope: Any) -> str:  # noqa: N802
        self.mails += 1
        return "250 OK"


@pytest.fixture
def hall(settings: Any) -> Iterator[Hall]:
    inside = Hall()
    controller = Controller(inside, hostname="127.0.0.1", port=free_ports(1)[0])
    controller.start()
    settings.EMAIL_HOST, settings.EMAIL_PORT = controller.hostname, controller.port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    try:
        yield inside
    finally:
        smtp._kept.drop()
        controller.stop()


def send() -> None:
    smtp.send(compose(content=content(), message_id="<1@boxoffice.example>"))


def test_mails_go_out_through_one_connection_and_a_server_that_hung_up_meanwhile_costs_none(hall: Hall) -> None:
    for _ in range(3):
        send()
    assert (hall.mails, len(hall.servers)) == (3, 1)
    (server,) = hall.servers
    server.loop.call_soon_threadsafe(server.transport.close)
    wait_for(lambda: server.transport is None or server.transport.is_closing(), what="the server hangs up")
    send()
    assert (hall.mails, len(hall.servers)) == (4, 2)


def test_a_server_that_breaks_off_in_the_middle_of_a_mail_leaves_no_connection_behind(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    send()

    def break_off(*_: Any, **__: Any) -> None:
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patched:
        patched.setattr(smtplib.SMTP, "sendmail", break_off)
        with pytest.raises(MailServerUnavailable):
            send()
    send()
    assert (hall.mails, len(hall.servers)) == (2, 2)
