"""The ESP's stand-in after a restart: it knows the mails that it took, and goes on telling what became of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sandbox.esp.deliver import Deliverer
from sandbox.esp.keys import FORGOTTEN_AFTER, Keys
from sandbox.esp.knobs import esp_knobs
from sandbox.esp.refusals import Refusal
from sandbox.esp.take_email import fate_of
from tests.ports import free_ports
from tests.processes import wait_for, wait_for_end

SECRET = "whsec_c2VjcmV0"


def test_a_key_still_stands_for_its_mail_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "keys.jsonl"
    keys = Keys(file)
    for key in ("taken", "failed"):
        assert keys.claim(key, b"a mail") == ""
    keys.keep("taken", "mail-1")
    keys.release("failed")

    again = Keys(file)

    assert again.claim("taken", b"a mail") == "mail-1"
    assert again.claim("failed", b"a mail") == ""
    with pytest.raises(Refusal, match="different request payload"):
        again.claim("taken", b"another mail")


def test_a_key_is_forgotten_after_a_day_and_half_a_line_harms_nobody(tmp_path: Path) -> None:
    file = tmp_path / "keys.jsonl"
    keys = Keys(file)
    keys.claim("old", b"a mail")
    keys.keep("old", "mail-1")
    key, request, since, email_id = json.loads(file.read_text())
    file.write_text(json.dumps([key, request, since - FORGOTTEN_AFTER - 1, email_id]) + '\n["half')

    assert Keys(file).claim("old", b"a mail") == ""
    assert file.read_text() == ""


@dataclass
class Endpoint:
    """Who takes events: their ids, and the addresses that they are about."""

    url: str
    taken: list[tuple[str, str]] = field(default_factory=list)


@pytest.fixture
def endpoint_of_events() -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.taken.append((self.headers["svix-id"], body["data"]["to"][0]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    endpoint = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield endpoint
    server.shutdown()
    wait_for_end(thread)
    server.server_close()


def test_an_event_that_nobody_took_is_sent_by_the_next_process_under_the_same_id_and_only_once(
    tmp_path: Path, endpoint_of_events: Endpoint
) -> None:
    (nobody,) = free_ports(1)
    before = deliverer(f"http://127.0.0.1:{nobody}/", folder=tmp_path)
    before.tell({"to": ["ada@example.org"]}, "delivered")
    wait_for(lambda: before.newest[0].attempts, what="the first try fails")
    before.stop()

    for _start in range(2):
        after = deliverer(endpoint_of_events.url, folder=tmp_path)
        wait_for(lambda: not list((tmp_path / "events").iterdir()), what="the event is taken")
        after.stop()

    assert endpoint_of_events.taken == [(before.newest[0].id, "ada@example.org")]


def deliverer(url: str, *, folder: Path) -> Deliverer:
    made = Deliverer(url=url, secret=SECRET, folder=folder, knobs=esp_knobs(folder))
    made.start()
    return made


@pytest.mark.parametrize(
    ("address", "fate"),
    [
        ("delivered@example.org", ("delivered",)),
        ("ada@example.org", ("delivered",)),
        ("Ada <Bounced+anna@Example.org>", ("bounced",)),
        ("softbounced@example.org", ("bounced softly",)),
        ("complained@example.org", ("delivered", "complained")),
        ("suppressed@example.org", ("suppressed",)),
        ("silent@example.org", ()),
    ],
)
def test_an_address_decides_what_becomes_of_its_mails(address: str, fate: tuple[str, ...]) -> None:
    assert fate_of({"to": [address]}) == fate
