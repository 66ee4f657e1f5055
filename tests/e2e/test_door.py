"""The door in a browser: a camera that sees a real ticket's code, a field, a hand scanner, and a lost connection."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from inventory.models import Show
from tests.e2e.test_pages import PHONE, TOO_SMALL
from tests.fixtures_door import PASSWORD, write_video
from tests.fixtures_storefront import Visit, Visiting
from tickets.models import Scan, Ticket
from tickets.qr import sign_ticket
from tickets.qr_image import qr_png

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DESKTOP = {"viewport": {"width": 1280, "height": 800}}


def payload_of(ticket: Ticket) -> str:
    return sign_ticket(code=ticket.code, show_id=ticket.show_id)


def film_of(path: Path, *payloads: str) -> list[str]:
    """Chromium's arguments for a camera that sees each code for a second, and nothing for four seconds after each."""
    pictures: list[Any] = []
    for payload in payloads:
        seen = Image.new("L", (320, 240), 200)
        with Image.open(io.BytesIO(qr_png(payload=payload, pixels_per_module=4))) as code:
            seen.paste(code.convert("L").rotate(4, resample=Image.Resampling.BICUBIC, fillcolor=255), (70, 30))
        pictures += [seen, Image.new("L", (320, 240), 90)]
    film = write_video(path / "camera.y4m", pictures=pictures, seconds=[1, 4] * len(payloads))
    return [
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]


@pytest.fixture
def opened(at_the_door: Client, live_server: LiveServer) -> Callable[[Visit, Show], Page]:
    """Opens the door of a show on a device that is logged in."""
    cookie = {
        "name": settings.SESSION_COOKIE_NAME,
        "value": at_the_door.cookies[settings.SESSION_COOKIE_NAME].value,
        "url": live_server.url,
    }

    def open_door(visit: Visit, show: Show) -> Page:
        visit.context.add_cookies([cookie])  # type: ignore[list-item]
        visit.page.goto(f"{live_server.url}/door/{show.pk}/")
        _wait_for_the_script(visit.page)
        return visit.page

    return open_door


def test_the_camera_reads_a_tickets_code_admits_and_on_the_second_time_says_when_and_where(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting, tmp_path: Path
) -> None:
    ticket = tickets_tonight[0]
    show = ticket.show
    with visiting(*film_of(tmp_path, payload_of(ticket)), **PHONE) as visit:
        page = opened(visit, show)
        start = page.get_by_role("button", name="Start the camera")
        if start.is_visible():
            start.click()
        overlay = page.get_by_role("alertdialog")
        expect(overlay.get_by_role("heading")).to_have_text("Come in", timeout=15_000)
        expect(overlay).to_contain_text("Stalls, row A, seat 1")
        box = overlay.bounding_box()
        assert box
        assert (box["width"], box["height"]) == (375, 812)
        # A good answer goes away by itself; the code is still in the film, and comes into sight again.
        expect(overlay).to_be_hidden()
        expect(page.locator("#count")).to_contain_text("1 of 4 in")
        expect(overlay.get_by_role("heading")).to_have_text("In already", timeout=15_000)
        expect(overlay).to_contain_text("at “Door” by grace")
        overlay.get_by_role("button", name="Next").click()
        expect(overlay).to_be_hidden()
        assert visit.complaints == []
    assert [scan.result for scan in Scan.objects.all()][:2] == ["admitted", "again"]
    assert Scan.objects.filter(result="admitted", proven=True).count() == 1


def test_a_forged_code_before_the_camera_stays_on_the_screen_until_a_tap(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting, tmp_path: Path
) -> None:
    ticket = tickets_tonight[0]
    payload = payload_of(ticket)
    forged = payload[:-1] + ("A" if payload[-1] != "A" else "B")
    with visiting(*film_of(tmp_path, forged, payload), **DESKTOP) as visit:
        page = opened(visit, ticket.show)
        start = page.get_by_role("button", name="Start the camera")
        if start.is_visible():
            start.click()
        overlay = page.get_by_role("alertdialog")
        expect(overlay.get_by_role("heading")).to_have_text("Not our ticket", timeout=15_000)
        # The genuine one comes into sight meanwhile, and is not taken before somebody has read the answer.
        page.wait_for_function("document.getElementById('video').currentTime > 11")
        expect(overlay.get_by_role("heading")).to_have_text("Not our ticket")
        assert visit.complaints == []
    assert not Scan.objects.filter(result="admitted").exists()


def test_a_code_is_typed_an_admission_is_undone_with_a_reason_and_the_ticket_goes_in_by_hand(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    show = ticket.show
    with visiting(**PHONE) as visit:
        page = opened(visit, show)
        overlay = page.get_by_role("alertdialog")
        page.get_by_label("Ticket code").first.fill(ticket.printed_code.lower())
        page.get_by_role("button", name="Check").tap()
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        expect(overlay).to_contain_text("ask for the name")
        expect(overlay).to_be_hidden()

        page.get_by_text("Undo", exact=False).first.tap()
        page.get_by_label("Why?").first.fill("the wrong person")
        page.get_by_role("button", name="Undo this admission").tap()
        expect(overlay.get_by_role("heading")).to_have_text("Undone")
        overlay.get_by_role("button", name="Next").tap()
        expect(page.locator("#count")).to_contain_text("0 of 4 in")
        expect(page.locator("#scans")).to_contain_text("the wrong person")

        page.get_by_text("Admit by hand").tap()
        page.get_by_label("Ticket code").last.fill(ticket.code)
        page.locator("#hand-why").fill("known to us")
        page.get_by_role("button", name="Admit this person").tap()
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        expect(page.locator("#count")).to_contain_text("1 of 4 in")
        assert visit.complaints == []
    assert [(scan.result, scan.reason) for scan in Scan.objects.all()] == [
        ("admitted", ""),
        ("undone", "the wrong person"),
        ("by hand", "known to us"),
    ]


def test_a_hand_scanner_types_anywhere_and_does_not_press_the_button_of_a_bad_answer(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    first, second, *_ = tickets_tonight
    show = first.show
    with visiting(**DESKTOP) as visit:
        page = opened(visit, show)
        overlay = page.get_by_role("alertdialog")

        def hand_scan(ticket: Ticket) -> None:
            page.keyboard.type(payload_of(ticket))
            page.keyboard.press("Enter")

        page.locator("h1").click()  # the focus is nowhere
        hand_scan(first)
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        hand_scan(first)  # while the good answer still stands
        expect(overlay.get_by_role("heading")).to_have_text("In already")
        hand_scan(second)
        expect(overlay.get_by_role("heading")).to_have_text("In already")
        page.keyboard.press("Enter")  # by a person
        expect(overlay).to_be_hidden()
        hand_scan(second)
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        assert visit.complaints == []
    assert [scan.result for scan in Scan.objects.all()] == ["admitted", "again", "admitted"]


def test_without_a_connection_nobody_is_let_in_and_the_code_is_kept_to_try_again(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    with visiting(**PHONE) as visit:
        page = opened(visit, ticket.show)
        overlay = page.get_by_role("alertdialog")
        # The request arrives and its answer gets lost, which is the worst of it.
        page.route(f"**/door/{ticket.show_id}/", lambda route: (route.fetch(), route.abort()))
        page.get_by_label("Ticket code").first.fill(ticket.code)
        page.get_by_role("button", name="Check").tap()
        expect(overlay.get_by_role("heading")).to_have_text("No answer")
        expect(overlay).to_contain_text(ticket.code)
        page.unroute_all()
        overlay.get_by_role("button", name="Try again").tap()
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
    assert [scan.result for scan in Scan.objects.all()] == ["admitted"]


def test_what_another_door_does_appears_in_the_count(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    with visiting() as visit:
        page = opened(visit, ticket.show)
        expect(page.locator("#count")).to_contain_text("0 of 4 in")
        other = visit.context.new_page()
        other.goto(page.url)
        _wait_for_the_script(other)
        other.get_by_label("Ticket code").first.fill(ticket.code)
        other.get_by_role("button", name="Check").click()
        expect(page.locator("#count")).to_contain_text("1 of 4 in", timeout=15_000)


@pytest.mark.parametrize("width", [320, 375, 1280])
def test_nothing_scrolls_sideways_and_a_thumb_hits_everything(
    tickets_tonight: list[Ticket],
    opened: Callable[[Visit, Show], Page],
    live_server: LiveServer,
    visiting: Visiting,
    width: int,
) -> None:
    ticket = tickets_tonight[0]
    Ticket.objects.update(holder_name="N" * 80)
    Show.objects.update(title="The Woman Who Came Back with a Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 2)
    with visiting(viewport={"width": width, "height": 700}) as visit:
        page = visit.page
        page.goto(f"{live_server.url}/door/")
        page.get_by_label("User name").fill("grace")
        page.get_by_label("Password").fill(PASSWORD)
        _fits(page, width)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Tonight")).to_be_visible()
        _fits(page, width)
        page.get_by_label("Name of this door").fill("North")
        page.get_by_role("button", name="The Woman").click()
        _wait_for_the_script(page)
        page.get_by_label("Ticket code").first.fill(ticket.code)
        page.keyboard.press("Enter")
        expect(page.get_by_role("alertdialog").get_by_role("heading")).to_have_text("Come in")
        _fits(page, width)
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        expect(page.locator("#scans")).to_contain_text(ticket.printed_code)
        _fits(page, width)
        assert visit.complaints == []


def _wait_for_the_script(page: Page) -> None:
    """Before it runs, the page works as one without scripts."""
    expect(page.get_by_role("region", name="Camera")).to_be_visible()


def _fits(page: Page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url
    pressed = TOO_SMALL.replace("input:not([type=hidden])", "input:not([type=hidden], [type=checkbox])")
    assert page.evaluate(pressed) == []
