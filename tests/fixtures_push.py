"""A push service for all tests of a run, and browsers that listen to it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from django.db import transaction

from notifications.channels.push.keys import application_server_key
from notifications.channels.push.subscribe import subscribe
from notifications.content import PushContent
from notifications.models import Notification, PushSubscription
from notifications.plan import plan_notification
from tests.fixtures_notifications import TASK
from tests.processes import Process


@dataclass
class PushService:
    """The sandbox's push service as other programs see it."""

    address: str

    def new_browser(self, *, application_server_key: str = "") -> dict[str, Any]:
        """A subscription as a browser's ``toJSON`` gives it."""
        return self.post("subscriptions", application_server_key=application_server_key)

    def end(self, endpoint: str) -> None:
        assert self.post(f"subscriptions/{endpoint.rpartition('/')[2]}/end")["ended"]

    def messages(self, endpoint: str = "") -> list[dict[str, Any]]:
        return self.get(f"messages?{urlencode({'endpoint': endpoint})}")

    def told(self, endpoint: str = "") -> list[dict[str, str]]:
        """What browsers read, the oldest first."""
        return [json.loads(message["text"]) for message in self.messages(endpoint)]

    def turn(self, **knobs: Any) -> dict[str, Any]:
        return self.post("knobs", **knobs)

    def get(self, path: str) -> Any:
        with urlopen(f"{self.address}/sandbox/push/{path}", timeout=10) as answer:
            return json.load(answer)

    def post(self, path: str, **given: Any) -> Any:
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self.address}/sandbox/push/{path}", json.dumps(given).encode(), headers)
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def push_process() -> Iterator[PushService]:
    """``python -m sandbox push`` on a free port, for all tests of this run."""
    process = Process(
        "push", [sys.executable, "-m", "sandbox", "push"], {**os.environ, "SANDBOX_PUSH_PORT": "0"}, ready="READY"
    )
    try:
        process.wait_until_ready()
        yield PushService(next(line for line in process.output if "READY" in line).split()[1].rstrip("/"))
    finally:
        assert process.terminate() == 0, "".join(process.output)
        assert "Traceback" not in "".join(process.output)


@pytest.fixture
def push_service(push_process: PushService, settings: Any) -> PushService:
    """The only push service that the settings name, as on its first day."""
    settings.PUSH_SERVICES = [push_process.address]
    push_process.post("reset")
    return push_process


@pytest.fixture
def subscribed_browser(push_service: PushService, db: None) -> PushSubscription:
    """A browser that wants to hear of ``order:ABC``."""
    return subscribe_browser(push_service)


@pytest.fixture
def queued_push(subscribed_browser: PushSubscription) -> Notification:
    """A notification to it that waits."""
    with transaction.atomic():
        planned = plan_notification(
            kind="news",
            subject="order:ABC",
            channel=Notification.Channel.PUSH,
            recipient=subscribed_browser.recipient,
            language="en",
            task=TASK,
        )
    assert planned is not None
    return planned


def subscribe_browser(
    service: PushService, *, subject: str = "order:ABC", language: str = "en", browser: dict[str, Any] | None = None
) -> PushSubscription:
    """Let a browser, by default a new one, subscribe with our key."""
    browser = browser or service.new_browser(application_server_key=application_server_key())
    pk = subscribe(subject=subject, endpoint=browser["endpoint"], language=language, **browser["keys"])
    return PushSubscription.objects.get(pk=pk)


def push_content(**given: Any) -> PushContent:
    """A small push message."""
    values = {
        "title": "Your tickets are there",
        "body": "Two seats.",
        "url": "http://127.0.0.1/orders/secret/",
        **given,
    }
    return PushContent(**values)
