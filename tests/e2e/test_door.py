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
from tests.fixtures_door import PASSWORD, camera_that_shows, write_video
from tests.fixtures_storefront import Visit, Visiting
from tests.processes import wait_for
from tickets.models import Scan, Ticket
from tickets.qr import sign_ticket
from tickets.qr_image import qr_png

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# As fast as a hand scanner types, whatever else this machine does.
TYPE = """keys => keys.forEach(key => (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true})))"""

DESKTOP = {"viewport": {"width": 1280, "height": 800}}


def payload_of(ticket: Ticket) -> str:
    return sign_ticket(code=ticket.code, show_id=ticket.show_id)


def film_of(path: Path, *scenes: tuple[str, float]) -> list[str]:
    """Chromium's arguments for a camera that sees each code, or nothing, for so many seconds, again and again."""
    pictures: list[Any] = []
    for payload, _ in scenes:
        seen = Image.new("L", (320, 240), 200 if payload else 90)
        if payload:
            with Image.open(io.BytesIO(qr_png(payload=payload, pixels_per_module=4))) as code:
                seen.paste(code.convert("L").rotate(4, resample=Image.Resampling.BICUBIC, fillcolor=255), (70, 30))
        pictures.append(seen)
    film = write_video(path / "camera.y4m", pictures=pictures, seconds=[length for _, length in scenes])
    return camera_that_shows(film)


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


def test_the_camera_admits_a_ticket_refuses_a_forged_one_until_a_tap_and_says_when_and_where_the_second_time(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting, tmp_path: Path
) -> None:
    ticket = tickets_tonight[0]
    good = payload_of(ticket)
    forged = good[:-1] + ("A" if good[-1] != "A" else "B")
    # Out of sight for three seconds, a code counts as shown anew.
    film = film_of(tmp_path, (good, 4), ("", 3.6), (forged, 2), ("", 0.4), (good, 2), ("", 3.6))
    with visiting(*film, **PHONE) as visit:
        page = opened(visit, ticket.show)
        overlay = page.get_by_role("alertdialog")
        heading = overlay.get_by_role("heading")
        expect(heading).to_have_text("Come in", timeout=20_000)
        expect(overlay).to_contain_text("Stalls, row A, seat 1")
        box = overlay.bounding_box()
        assert box
        assert (box["width"], box["height"]) == (375, 812)
        # A good answer goes away by itself.
        expect(overlay).to_be_hidden()
        expect(page.locator("#count")).to_contain_text("1 of 4 in")

        expect(heading).to_have_text("Not our ticket", timeout=20_000)
        # The genuine one comes into sight meanwhile, and is not taken before somebody has read the answer.
        since = _seconds_seen(page)
        wait_for(lambda: _seconds_seen(page) > since + 3.5, what="the camera sees the genuine ticket")
        expect(heading).to_have_text("Not our ticket")
        overlay.get_by_role("button", name="Next").tap()

        expect(heading).to_have_text("In already", timeout=20_000)
        expect(overlay).to_contain_text("at “Door” by grace")
        assert visit.complaints == []
    rows = [(scan.result, scan.proven) for scan in Scan.objects.all()]
    assert rows == [("admitted", True), ("forged", False), ("again", True)]


def test_a_code_is_typed_its_admission_undone_and_made_by_hand_and_another_door_sees_the_count(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    show = ticket.show
    with visiting(**PHONE) as visit:
        other = opened(visit, show)
        page = visit.context.new_page()
        page.goto(other.url)
        _wait_for_the_script(page)
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
        other.bring_to_front()
        expect(other.locator("#count")).to_contain_text("1 of 4 in", timeout=15_000)
        expect(other.locator("#scans")).to_contain_text("known to us")
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
            page.evaluate(TYPE, [*payload_of(ticket), "Enter"])

        page.locator("h1").click()  # the focus is nowhere
        hand_scan(first)
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        hand_scan(first)  # while the good answer still stands
        expect(overlay.get_by_role("heading")).to_have_text("In already")
        hand_scan(second)
        expect(overlay.get_by_role("heading")).to_have_text("In already")
        page.keyboard.press("Enter")  # by a person
        expect(overlay).to_be_hidden()
        expect(page.locator("#code")).to_be_focused()  # where it types as anybody does
        page.keyboard.insert_text(payload_of(second))
        page.keyboard.press("Enter")
        expect(overlay.get_by_role("heading")).to_have_text("Come in")
        assert visit.complaints == []
    assert [scan.result for scan in Scan.objects.all()] == ["admitted", "again", "admitted"]


def test_a_bare_code_lets_in_whom_a_person_types_and_not_whom_a_hand_scanner_reads(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    with visiting(**DESKTOP) as visit:
        page = opened(visit, ticket.show)
        heading = page.get_by_role("alertdialog").get_by_role("heading")
        for focus in ("h1", "#code"):
            page.locator(focus).click()
            page.evaluate(TYPE, [*ticket.printed_code, "Enter"])
            expect(heading).to_have_text("Not our ticket")
            page.get_by_role("button", name="Next").click()
        field = page.locator("#code")
        field.press_sequentially("K7Q")  # somebody began to type
        page.evaluate(TYPE, [*"https://example.org/foreign-ticket/123456789", "Enter"])
        expect(heading).to_have_text("Not our ticket")
        page.get_by_role("button", name="Next").click()
        expect(field).to_have_value("")
        field.press_sequentially(ticket.printed_code, delay=80)
        field.press("Enter")
        expect(heading).to_have_text("Come in")
        assert visit.complaints == []
    assert [scan.result for scan in Scan.objects.all()] == ["forged", "forged", "forged", "admitted"]


def _lose_the_answers(page: Page, ticket: Ticket) -> None:
    """Each request arrives and its answer gets lost, which is the worst that a connection can do."""
    page.route(f"**/door/{ticket.show_id}/", lambda route: (route.fetch(), route.abort()))


def _enter(page: Page, ticket: Ticket) -> None:
    page.get_by_label("Ticket code").first.fill(ticket.code)
    page.get_by_role("button", name="Check").click()


def test_a_scan_whose_answer_gets_lost_is_asked_again_by_itself_and_is_no_second_one(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    first, second, *_ = tickets_tonight
    with visiting(**PHONE) as visit:
        page = opened(visit, first.show)
        heading = page.get_by_role("alertdialog").get_by_role("heading")
        _lose_the_answers(page, first)
        _enter(page, first)
        expect(heading).to_have_text("No answer")
        expect(page.get_by_role("alertdialog")).to_contain_text("Let nobody in yet")
        expect(page.get_by_role("alertdialog")).to_contain_text(first.code)
        page.unroute_all()
        expect(heading).to_have_text("Come in")  # no tap was needed

        # Whoever goes on, loads the page again and scans once more hears the same.
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        _lose_the_answers(page, first)
        _enter(page, second)
        expect(heading).to_have_text("No answer")
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        page.unroute_all()
        page.reload()
        _wait_for_the_script(page)
        _enter(page, second)
        expect(heading).to_have_text("Come in")
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        _enter(page, second)
        expect(heading).to_have_text("In already")
    assert [scan.result for scan in Scan.objects.all()] == ["admitted", "admitted", "again"]


def test_a_slow_server_a_lost_connection_and_a_login_that_is_over_are_told_apart(
    tickets_tonight: list[Ticket], opened: Callable[[Visit, Show], Page], visiting: Visiting
) -> None:
    ticket = tickets_tonight[0]
    with visiting(**PHONE) as visit:
        page = opened(visit, ticket.show)
        overlay, heading = page.get_by_role("alertdialog"), page.get_by_role("alertdialog").get_by_role("heading")
        held: list[Any] = []
        page.route(f"**/door/{ticket.show_id}/", lambda route: held.append(route))
        _enter(page, ticket)
        expect(heading).to_have_text("One moment")
        expect(overlay.get_by_role("button", name="Next")).to_be_hidden()
        held[0].fulfill(status=503, body="away")
        expect(overlay).to_contain_text("The server could not answer")
        overlay.get_by_role("button", name="Next").click()
        page.unroute_all()

        visit.context.set_offline(True)
        expect(page.locator("#count")).to_have_text("No connection")
        _enter(page, ticket)
        expect(overlay).to_contain_text("No connection, so there is no answer")
        visit.context.set_offline(False)
        expect(heading).to_have_text("Come in")
        expect(page.locator("#count")).to_contain_text("1 of 4 in")
        expect(overlay).to_be_hidden()

        visit.context.clear_cookies()
        _enter(page, ticket)
        expect(overlay).to_contain_text("The login is over")
        expect(overlay.get_by_role("button", name="Try again")).to_be_hidden()
        overlay.get_by_role("link", name="Load this page again").click()
        expect(page.get_by_label("User name")).to_be_visible()
    assert [scan.result for scan in Scan.objects.all()] == ["admitted"]


def test_nothing_scrolls_sideways_and_a_thumb_hits_everything(
    tickets_tonight: list[Ticket],
    door_user: Any,
    live_server: LiveServer,
    visiting: Visiting,
) -> None:
    ticket = tickets_tonight[0]
    Ticket.objects.update(holder_name="N" * 80)
    Show.objects.update(title="The Woman Who Came Back with a Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 2)
    with visiting() as visit:
        page = visit.page
        page.goto(f"{live_server.url}/door/")
        page.get_by_label("User name").fill("grace")
        page.get_by_label("Password").fill(PASSWORD)
        _fits(page)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("heading", name="Tonight")).to_be_visible()
        _fits(page)
        page.get_by_label("Name of this door").fill("North")
        page.get_by_role("button", name="The Woman").click()
        _wait_for_the_script(page)
        _enter(page, ticket)
        expect(page.get_by_role("alertdialog").get_by_role("heading")).to_have_text("Come in")
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        _enter(page, ticket)
        expect(page.get_by_role("alertdialog").get_by_role("heading")).to_have_text("In already")
        _fits(page)
        page.keyboard.press("Enter")
        expect(page.locator("#scans")).to_contain_text("In already")
        page.get_by_text("Undo", exact=False).first.click()
        page.get_by_text("Admit by hand").click()
        _fits(page)
        assert visit.complaints == []


def _seconds_seen(page: Page) -> float:
    return float(page.evaluate("document.getElementById('video').currentTime"))


def _wait_for_the_script(page: Page) -> None:
    """Before it runs, the page works as one without scripts."""
    expect(page.get_by_role("region", name="Camera")).to_be_visible()


def _fits(page: Page) -> None:
    pressed = TOO_SMALL.replace("input:not([type=hidden])", "input:not([type=hidden], [type=checkbox])")
    for width in (320, 375, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url
        assert page.evaluate(pressed) == [], width
