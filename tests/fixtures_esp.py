"""The ESP's stand-in for all tests of this run, and notifications that are sent through its API."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

from sandbox.esp.knobs import EspKnobs
from tests.processes import Process, wait_for

if TYPE_CHECKING:  # plugins are loaded by name, and one that was imported before cannot be
    from tests.fixtures_notifications import MailServer

ESP_WEBHOOK_SECRET = f"whsec_{base64.b64encode(b'a secret of these tests').decode()}"


@dataclass
class Esp:
    """The API and its mailbox, as other programs see them."""

    address: str
    mailbox: MailServer

    def turn(self, **knobs: Any) -> dict[str, Any]:
        """Turn the knobs; it obeys from the next request on."""
        return self.post(f"{self.mailbox.address}api/esp/knobs", knobs)

    def outcomes(self) -> dict[str, int]:
        """How many requests were answered how."""
        return self.get("sandbox/esp/requests")["outcomes"]

    def events(self) -> list[dict[str, Any]]:
        """The events that were sent or are on their way, the oldest first."""
        return self.get("sandbox/esp/deliveries")

    def send_events_to(self, url: str) -> None:
        self.post(f"{self.address}sandbox/esp/endpoint", {"url": url})

    def forget(self) -> None:
        self.post(f"{self.address}sandbox/esp/reset", {})

    def get(self, path: str) -> Any:
        with urlopen(self.address + path, timeout=10) as answer:
            return json.load(answer)

    def post(self, url: str, body: Any) -> Any:
        request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)


@pytest.fixture(scope="session")
def esp_process(sandbox_processes: MailServer) -> Iterator[Esp]:
    """``python -m sandbox esp`` on a free port."""
    environment = {
        **os.environ,
        "SANDBOX_ESP_PORT": "0",
        "SANDBOX_MAILDIR": str(sandbox_processes.folder),
        "MAIL_WEBHOOK_SECRET": ESP_WEBHOOK_SECRET,
    }
    process = Process("esp", [sys.executable, "-m", "sandbox", "esp"], environment, ready="READY")
    try:
        process.wait_until_ready()
        address = next(line for line in process.output if "READY" in line).split()[1]
        yield Esp(address, sandbox_processes)
    finally:
        assert process.terminate() == 0


@pytest.fixture
def esp(esp_process: Esp, settings: Any) -> Esp:
    """The ESP that the settings name: without mails, quick and willing; it sends no events."""
    settings.MAIL_PROVIDER = "resend"
    settings.EMAIL_BACKEND = "notifications.channels.email.resend.EmailBackend"
    settings.ANYMAIL = {"RESEND_API_KEY": "re_test", "RESEND_API_URL": esp_process.address}
    settings.EMAIL_TIMEOUT = 5
    settings.MAIL_WEBHOOK_SECRET = ESP_WEBHOOK_SECRET
    settings.DEFAULT_FROM_EMAIL = "BoxOffice <tickets@boxoffice.example>"
    esp_process.turn(**asdict(EspKnobs()))
    esp_process.send_events_to("")
    # A client of an earlier test may have given up; the mail would be taken in this one.
    wait_for(lambda: esp_process.get("sandbox/esp/requests")["under_way"] == 0, what="the ESP is at rest")
    esp_process.forget()
    esp_process.mailbox.empty()
    return esp_process
