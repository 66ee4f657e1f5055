"""An ESP that calls a mail by a name that cannot be kept: the mail is out, whatever it is called."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from notifications.deliver import deliver
from notifications.models import Notification
from tests.fixtures_notifications import content

pytestmark = pytest.mark.django_db(transaction=True)


class NamingEsp(HTTPServer):
    """Takes every mail, and calls it ``name``."""

    name = ""
    taken = 0


class _Handler(BaseHTTPRequestHandler):
    server: NamingEsp

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken += 1
        answer = json.dumps({"id": self.server.name}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@pytest.fixture
def naming_esp(settings: Any) -> Iterator[NamingEsp]:
    """The ESP of the settings."""
    server = NamingEsp(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    settings.MAIL_PROVIDER = "resend"
    settings.EMAIL_BACKEND = "notifications.channels.email.resend.EmailBackend"
    settings.ANYMAIL = {"RESEND_API_KEY": "re_test", "RESEND_API_URL": f"http://127.0.0.1:{server.server_port}/"}
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("name", "kept"), [("4ef9a417", "4ef9a417"), ("z" * 500, ""), ("a\x00b", ""), ("a\ud83db", "")], ids=ascii
)
def test_a_mail_whose_id_cannot_be_kept_is_sent_all_the_same(
    naming_esp: NamingEsp, queued_notification: Notification, name: str, kept: str
) -> None:
    naming_esp.name = name
    deliver(notification_id=queued_notification.pk, content=content())
    sent = Notification.objects.get()
    assert (sent.status, sent.provider_id, naming_esp.taken) == ("sent", kept, 1)
