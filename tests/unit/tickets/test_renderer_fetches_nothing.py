"""What a text or a template asks for: the renderer opens what is on its list, and nothing else."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.utils import translation

from tests.printed_tickets import rendered, text_of, ticket, unspaced
from tests.processes import wait_for_end
from tickets.errors import AssetRefused
from tickets.render_tickets import ASSETS, OwnAssets, render_tickets
from tickets.ticket_face import faces_of

opened: list[str] | None = None


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if opened is not None and event in {"open", "socket.connect", "socket.getaddrinfo", "urllib.Request"}:
        opened.append(f"{event} {arguments[0] if event != 'socket.connect' else arguments[1]}")


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[str]]:
    """The files and connections that Python opens inside the block."""
    global opened
    opened = []
    try:
        yield opened
    finally:
        opened = None


@pytest.fixture
def web_server() -> Iterator[tuple[str, list[object]]]:
    """A listening port and the connections made to it."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[object] = []

    def accept() -> None:
        while True:
            try:
                connections.append(listener.accept())
            except OSError:
                return

    thread = threading.Thread(target=accept)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/x.png", connections
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    wait_for_end(thread)


@pytest.mark.parametrize("field", ["title", "subtitle", "venue", "address", "zone", "tier", "holder_name"])
def test_html_in_a_text_is_text_and_the_renderer_fetches_nothing_for_it(
    field: str, web_server: tuple[str, list[object]]
) -> None:
    url, connections = web_server
    rendered()  # fonts and style are read once, before we look
    with watched() as seen:
        pdf = rendered(
            ticket(**{field: f"<img src=file:///etc/passwd><img src={url}><link rel=stylesheet href={url}>"})
        )
    assert unspaced(f"<img src=file:///etc/passwd><img src={url}>") in unspaced(text_of(pdf))
    assert not [entry for entry in seen if "passwd" in entry or "http" in entry or entry.startswith("socket")]
    assert connections == []
    assert "root:" not in text_of(pdf)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "http://127.0.0.1:1/", "https://example.org/", "ftp://127.0.0.1/", "data:text/css,x",
     "asset:../models.py", "asset:fonts/../../models.py", "asset:ticket.css", "qr:7"],
)  # fmt: skip
def test_what_is_not_on_the_list_of_assets_is_refused_unread(url: str) -> None:
    with watched() as seen, pytest.raises(LookupError):
        OwnAssets({"qr:0": b""}).fetch(url)
    assert seen == []


def test_a_template_that_asks_for_something_else_stops_the_rendering(tmp_path: Any, settings: Any) -> None:
    folder = tmp_path / "tickets"
    folder.mkdir()
    (folder / "ticket.html").write_text("<img src='file:///etc/passwd' alt='x'>")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    with translation.override("en"), pytest.raises(AssetRefused):
        render_tickets(faces=faces_of([ticket()]), title="x", language="en")


def test_every_listed_asset_exists() -> None:
    assert ASSETS
    assert all(path.is_file() for path in ASSETS.values())
