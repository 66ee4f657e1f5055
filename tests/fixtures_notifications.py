"""A real mail server for each test, and notifications that wait to be sent through it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from django.db import transaction

from notifications.content import EmailContent
from notifications.models import Notification
from notifications.plan import plan_notification
from tests.processes import Process

TASK = "probe.leave_a_mark"  # any task of the table will do: these tests do not run it
TAKES_EVERYTHING = {
    "latency_ms": 0,
    "fail_next": 0,
    "fail_code": 451,
    "fail_text": "",
    "fail_at": "data",
    "lose_answers": 0,
}


@dataclass
class MailServer:
    """The sandbox's mail server and its mailbox, as other programs see them."""

    port: int
    address: str
    folder: Path

    def messages(self, **query: Any) -> list[dict[str, Any]]:
        """The mails taken so far, newest first."""
        return self.get(f"api/messages?{urlencode(query)}")

    def only_message(self) -> dict[str, Any]:
        (message,) = self.messages()
        return self.get(f"api/messages/{message['id']}")

    def turn(self, **knobs: Any) -> dict[str, Any]:
        """Turn the server's knobs; it obeys from the next mail on."""
        request = Request(f"{self.address}api/knobs", json.dumps(knobs).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def get(self, path: str) -> Any:
        with urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    def fetch(self, address: str) -> bytes:
        with urlopen(address, timeout=10) as answer:
            return answer.read()

    def empty(self) -> None:
        for file in (self.folder / "new").iterdir():
            file.unlink()


@pytest.fixture(scope="session")
def sandbox_processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailServer]:
    """``python -m sandbox smtp`` and ``web`` on free ports, for all tests of this run."""
    folder = tmp_path_factory.mktemp("mailbox")
    environment = {**os.environ, "SMTP_PORT": "0", "SANDBOX_PORT": "0", "SANDBOX_MAILDIR": str(folder)}
    processes = [
        Process(name, [sys.executable, "-m", "sandbox", name], environment, ready="READY") for name in ("smtp", "web")
    ]
    try:
        addresses = []
        for process in processes:
            process.wait_until_ready()
            addresses.append(next(line for line in process.output if "READY" in line).split()[1])
        yield MailServer(int(addresses[0].rpartition(":")[2]), addresses[1], folder)
    finally:
        assert [process.terminate() for process in processes] == [0, 0]


@pytest.fixture
def mail_server(sandbox_processes: MailServer, settings: Any) -> MailServer:
    """The server that the settings name: empty, quick and willing."""
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sandbox_processes.port
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.DEFAULT_FROM_EMAIL = "BoxOffice <tickets@boxoffice.example>"
    sandbox_processes.turn(**TAKES_EVERYTHING)
    sandbox_processes.empty()
    return sandbox_processes


@pytest.fixture
def plan_news(transactional_db: None) -> Callable[..., Notification | None]:
    """Plans a notification in a transaction of its own."""

    def _plan(**given: Any) -> Notification | None:
        values = {
            "kind": "news",
            "subject": "order:ABC",
            "recipient": "ada@example.org",
            "language": "en",
            "task": TASK,
            **given,
        }
        with transaction.atomic():
            return plan_notification(**values)

    return _plan


@pytest.fixture
def queued_notification(plan_news: Callable[..., Notification | None]) -> Notification:
    notification = plan_news()
    assert notification is not None
    return notification


def content(**given: Any) -> EmailContent:
    """A small mail to Ada."""
    values = {
        "to_address": "ada@example.org",
        "to_name": "Ada Lovelace",
        "subject": "News",
        "text": "There is news.\n",
        "html": "<p>There is <b>news</b>.</p>",
        **given,
    }
    return EmailContent(**values)
