"""The page of exports in a browser: nothing scrolls sideways, progress is live, and a press brings the file."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from boxoffice.admin import exports
from boxoffice.exports.write_export import TOO_MANY, write_export
from boxoffice.models import Export
from inventory.models import Show
from jobs.clock import database_now
from jobs.wakeup import plain_connection
from notifications.models import Notification, Suppression
from tests.books import sell_on_the_web
from tests.desk_in_a_browser import bring_session, look_at
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGE = "/admin/boxoffice/export/"
LONG = "Wolfeschlegelsteinhausenbergerdorff" * 2


@pytest.fixture
def sold_for_export(make_show: Callable[..., Show], settings: Any, tmp_path: Path) -> Show:
    """A show with a long title and one order; files lie in a folder of this test."""
    settings.MEDIA_ROOT = str(tmp_path)
    show = make_show(f"Nightbirds {LONG}", prices={"Front": 4210, "House": 1205})
    sell_on_the_web(show, "A-1")
    return show


def _log_in(client: Client) -> str:
    user = get_user_model().objects.create_superuser("operator", email="operator@house.example", password="a long one")
    client.force_login(user)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _of_every_state(show: Show) -> None:
    user, now = get_user_model().objects.get(), database_now()
    given = {"user": user, "by": "operator", "language": "en", "show_id": show.pk, "show_title": show.title}
    ended = {"ended_at": now, "rows_done": 1208, "rows_about": 1208, "size": 250_000, "storage_name": "x"}
    for kind, state, more in (
        (
            "orders",
            "failed",
            {"ended_at": now, "problem": TOO_MANY},
        ),
        ("takings", "done", {**ended, "erase_at": now, "erased_at": now}),
        ("attendees", "done", {**ended, "erase_at": now + timedelta(days=7)}),
        ("orders", "running", {"rows_done": 34_000, "rows_about": 100_000}),
        ("takings", "planned", {}),
    ):
        Export.objects.create(number=uuid4(), kind=kind, state=state, **given, **more)


@pytest.mark.parametrize(("width", "language"), [(375, "de"), (1280, "en")])
def test_the_page_and_the_lists_of_mails_keep_their_width(
    width: int, language: str, sold_for_export: Show, client: Client, live_server: LiveServer, visiting: Visiting
) -> None:
    session = _log_in(client)
    _of_every_state(sold_for_export)
    _bounced()
    lists = {"mails": "/admin/notifications/notification/", "addresses": "/admin/notifications/suppression/"}
    with visiting(viewport={"width": width, "height": 900}) as visit:
        bring_session(visit, live_server, session, language=language)
        for name, address in {"exports": PAGE, **lists}.items():
            look_at(visit, live_server, address, name=f"{name}-{width}-{language}", width=width)
        assert visit.complaints == []


def test_a_press_writes_the_file_shows_how_far_it_is_and_brings_it(
    sold_for_export: Show,
    client: Client,
    live_server: LiveServer,
    visiting: Visiting,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(exports, "REFRESH_SECONDS", 0.2)
    session = _log_in(client)
    with visiting(viewport={"width": 1280, "height": 900}) as visit:
        page = visit.page
        bring_session(visit, live_server, session)
        page.goto(f"{live_server.url}{PAGE}")
        page.locator("#id_kind").select_option("orders")
        page.locator("#id_show").select_option(index=1)
        page.get_by_role("button", name="Export", exact=True).click()
        file = page.locator(".exports-file").first
        expect(file.locator(".chip")).to_have_text("planned")
        page.evaluate("document.activeElement.blur()")
        with plain_connection("default") as other:
            other.execute("UPDATE boxoffice_export SET state = 'running', rows_done = 340, rows_about = 1000")
        expect(file).to_contain_text("340 of about 1,000 rows")
        with ThreadPoolExecutor(max_workers=1) as aside:
            aside.submit(_write).result(timeout=20)
        expect(file.locator(".chip")).to_have_text("ready")
        with page.expect_download() as downloading:
            file.get_by_role("link", name="Download").click()
        downloading.value.save_as(tmp_path / "orders.csv")
        assert visit.complaints == []
    lines = (tmp_path / "orders.csv").read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0].startswith("Order,Status,Show")
    assert len(lines) == 2


def _write() -> None:
    """As the job does, in a thread where Django may query."""
    try:
        write_export(export_id=Export.objects.get().pk)
    finally:
        connection.close()


def _bounced() -> None:
    mail = Notification.objects.create(
        kind="tickets_ready", subject="order:BCDF2345", channel="email", recipient=f"ada@{'long-' * 8}example.org",
        language="en", status="bounced", message_id="<1>", last_error="550 5.1.1 mailbox unknown, said the server",
    )  # fmt: skip
    Notification.objects.create(
        kind="reminder", subject="order:BCDF2345", channel="email", recipient=f"erased:{'68a3' * 16}", language="en",
        status="suppressed", message_id="<2>", last_error="its address was erased",
    )  # fmt: skip
    Suppression.objects.create(
        address=mail.recipient, reason="bounced", detail="550 5.1.1 mailbox unknown, said the server, and more words",
        notification_id=mail.pk,
    )  # fmt: skip
