"""The whole way of two seats: chosen on the map of a large hall, paid, printed, mailed, and let in at the door."""

from __future__ import annotations

import io
import mailbox
import re
from datetime import timedelta
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from boxoffice.models import Order
from inventory.models import Seat, Show
from jobs.clock import database_now
from notifications.models import Notification
from tests.e2e.test_seat_map import a_free_mark, press_at
from tests.fixtures_door import PASSWORD, camera_that_shows, write_video
from tests.fixtures_storefront import Site, Visiting
from tests.processes import wait_for
from tickets.models import Ticket

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FRAME = (400, 300)
DARK, LIGHT = 90, 220


def test_two_seats_of_twelve_thousand_are_chosen_on_the_map_paid_and_let_in_once(
    arena_show: Show, paying_site: Site, visiting: Visiting, door_user: object, tmp_path: Path
) -> None:
    now = database_now()
    Show.objects.filter(pk=arena_show.pk).update(doors_at=now, starts_at=now + timedelta(hours=1))

    with visiting() as visit:
        page = visit.page
        choose_two(page, f"{paying_site.address}/shows/{arena_show.slug}/")
        page.get_by_role("button", name="Hold 2 seats").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your 2 seats are held")
        page.get_by_label("Name").fill("Ada Lovelace")
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Pay 90.00 €").click()
        page.get_by_role("button", name="Pay").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirmed")
        codes = page.get_by_role("img", name=re.compile("QR code of ticket"))
        expect(codes).to_have_count(2, timeout=30_000)
        expect(page.get_by_text("Sent to ada@example.org.")).to_be_visible(timeout=30_000)
        pictures = [code.screenshot() for code in codes.all()]
        assert visit.complaints == []

    order = Order.objects.get()
    assert (order.status, order.total) == ("confirmed", 9000)
    assert Seat.objects.filter(show=arena_show, status="sold").count() == 2
    assert Notification.objects.get().status == "sent"
    assert len(mailbox.Maildir(paying_site.maildir)) == 1

    with visiting(*camera_that_sees(pictures, tmp_path), viewport={"width": 375, "height": 812}) as visit:
        page = visit.page
        page.goto(f"{paying_site.address}/door/")
        page.get_by_label("User name").fill("grace")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.get_by_role("button", name=re.compile("Arena night")).click()
        answer = page.get_by_role("alertdialog")
        expect(page.locator("#count")).to_contain_text("2 of 2 in", timeout=30_000)
        expect(answer.get_by_role("heading")).to_have_text("In already", timeout=30_000)
        assert visit.complaints == []

    wait_for(lambda: Ticket.objects.filter(status="used").count() == 2, what="both tickets are used")


def choose_two(page: Page, address: str) -> None:
    """Two neighbours near the middle of the hall: the one by mouse, the other by keyboard."""
    page.goto(address)
    page.locator("#map-frame[data-ready]").wait_for()
    press_at(page, 0.5, 0.62)
    a_free_mark(page).click()
    expect(page.get_by_role("button", name="Hold 1 seat")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")


def camera_that_sees(codes: list[bytes], folder: Path) -> list[str]:
    """Chromium's arguments for a camera before which each of these pictures is held for two seconds, in turn."""
    frames = []
    for code in codes:
        frame = Image.new("L", FRAME, LIGHT)
        with Image.open(io.BytesIO(code)) as picture:
            frame.paste(picture.convert("L").resize((220, 220)), (90, 40))
        frames += [frame, Image.new("L", FRAME, DARK)]
    film = write_video(folder / "camera.y4m", pictures=frames, seconds=[2, 3] * len(codes))
    return camera_that_shows(film)
