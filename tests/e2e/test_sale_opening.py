"""The instant at which a sale opens: hundreds of fans around it over HTTP, and one who asked to be told."""

from __future__ import annotations

import http.client
import json
import mailbox
import re
import string
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from email.policy import default
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from boxoffice.models import SaleAlert
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Hold, Show, Venue
from inventory.move_sale_opening import move_sale_opening
from jobs.clock import database_now
from notifications.models import Notification
from tests.fixtures_inventory import plan_document, seat_ids
from tests.fixtures_storefront import Site, Visiting
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)

RATE = 200  # requests a second
SECONDS = 4
AT_MOST_SECONDS = 12  # a machine that is too slow for the rate sends fewer requests
AHEAD = timedelta(seconds=2)
FANS = 60  # each with a connection of his own, of which a web process takes 64, and one request at a time on it
CSRF_LENGTH = 32  # whoever sends such a secret as cookie and as header has it from this site, as far as Django can tell


@pytest.fixture
def large_show_opening_tomorrow(venue: Venue, make_show: Callable[..., Show]) -> Show:
    """1,250 seats: more than anybody asks for."""
    document = plan_document(rows=string.ascii_letters[:50], seats=25)
    plan = import_seating_plan(venue=venue, raw=json.dumps(document).encode(), name="Large hall")
    return make_show("Rush", plan=plan, on_sale_at=database_now() + timedelta(days=1))


@dataclass(frozen=True)
class Attempt:
    """One request for one seat. ``sent_at``: by this machine's clock, before the first byte left."""

    sent_at: float
    status: int
    location: str


def attempt(connection: http.client.HTTPConnection, *, show: Show, seat: int) -> Attempt:
    # A secret of its own makes each of them a browser of its own, which holds seats beside the others'.
    secret = str(seat).rjust(CSRF_LENGTH, "f")
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={secret}",
        "X-CSRFToken": secret,
    }
    sent_at = time.time()
    connection.request("POST", f"/shows/{show.slug}/", urlencode({"seats": seat, "alone": "yes"}), headers)
    answer = connection.getresponse()
    answer.read()
    return Attempt(sent_at, answer.status, answer.headers.get("Location", ""))


def rush(port: int, *, show: Show, seats: list[int]) -> list[Attempt]:
    """Send one request for each seat at its place in time. A fan whose last answer came late catches up."""
    start = time.monotonic()

    def fan(first: int) -> list[Attempt]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        attempts = []
        for nth in range(first, len(seats), FANS):
            time.sleep(max(start + nth / RATE - time.monotonic(), 0))
            if time.monotonic() > start + AT_MOST_SECONDS:
                break
            attempts.append(attempt(connection, show=show, seat=seats[nth]))
        connection.close()
        return attempts

    with ThreadPoolExecutor(FANS) as fans:
        return [each for attempts in fans.map(fan, range(FANS)) for each in attempts]


def require_one_clock() -> None:
    """The database reads the clock that this process reads, so that their instants can be compared as they are."""
    before = time.time()
    theirs = database_now().timestamp()
    assert before <= theirs <= time.time(), "the database has another clock than this machine"


def test_under_a_rush_across_the_instant_nothing_is_held_before_it_and_nobody_is_refused_after_it(
    large_show_opening_tomorrow: Show, web_port: int
) -> None:
    show = large_show_opening_tomorrow
    seats = seat_ids(show)[: RATE * SECONDS]
    require_one_clock()
    # The first requests of a process load its code and templates: they come before it counts.
    assert {each.status for each in rush(web_port, show=show, seats=seats[: 2 * FANS])} == {409}
    move_sale_opening(show_id=show.pk, on_sale_at=database_now() + AHEAD)
    show.refresh_from_db()

    attempts = rush(web_port, show=show, seats=seats)

    opening = show.on_sale_at.timestamp()
    spread = max(each.sent_at for each in attempts) - min(each.sent_at for each in attempts)
    accepted = sum(each.status == 303 for each in attempts)
    print(f"{len(attempts)} requests in {spread:.1f} s, {accepted} accepted")  # noqa: T201 - shown by pytest -s
    assert {each.status for each in attempts} == {303, 409}
    late = [each for each in attempts if each.sent_at >= opening]
    early = [each for each in attempts if each.sent_at < opening]
    assert min(len(early), len(late)) >= FANS / 2, "the machine was too slow to ask on both sides of the instant"
    assert {each.status for each in late} == {303}
    assert all(each.location.startswith("/holds/") for each in attempts if each.status == 303)
    holds = Hold.objects.filter(show=show)
    assert holds.count() == accepted
    assert not holds.filter(created_at__lt=show.on_sale_at).exists()
    require_one_clock()


def test_a_page_that_was_loaded_before_the_opening_holds_seats_at_once_after_it(
    show_opening_tomorrow: Show, web_port: int
) -> None:
    show = show_opening_tomorrow
    (seat,) = seat_ids(show, "B-4")
    connection = http.client.HTTPConnection("127.0.0.1", web_port, timeout=30)
    connection.request("GET", f"/shows/{show.slug}/")
    answer = connection.getresponse()
    page = answer.read().decode()
    (token,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    form = urlencode({"csrfmiddlewaretoken": token, "seats": seat, "how": "chosen"})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}

    def press() -> int:
        connection.request("POST", f"/shows/{show.slug}/", form, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    assert press() == 409
    move_sale_opening(show_id=show.pk, on_sale_at=database_now())
    assert press() == 303
    assert Hold.objects.get().seat_ids == [seat]


@pytest.mark.browser
def test_a_fan_who_asked_is_told_when_the_sale_opens_follows_the_mail_to_the_seats_and_is_forgotten(
    make_show: Callable[..., Show], site: Site, visiting: Visiting
) -> None:
    show = make_show("Paper Boats", on_sale_at=database_now() + timedelta(minutes=5))
    with visiting(viewport={"width": 375, "height": 700}) as visit:
        page = visit.page
        page.goto(f"{site.address}/shows/{show.slug}/")
        page.get_by_label("E-mail").fill("ada@example")
        page.get_by_role("button", name="Tell me when the sale opens").click()
        expect(page.get_by_label("E-mail")).to_have_value("ada@example")
        expect(page.get_by_label("E-mail")).to_be_focused()
        visit.complaints.clear()  # of the status of the refusal
        page.get_by_label("E-mail").fill("ada@example.org")
        page.get_by_role("button", name="Tell me when the sale opens").click()
        expect(page.get_by_text("when the sale opens, once.")).to_be_visible()
        assert visit.complaints == []

    move_sale_opening(show_id=show.pk, on_sale_at=database_now() + timedelta(seconds=1))
    wait_for(lambda: Notification.objects.filter(status="sent").exists(), what="the mail is sent")
    (mail,) = [mailbox.MaildirMessage(each) for each in mailbox.Maildir(site.maildir)]
    assert mail["To"] == "ada@example.org"
    text = mail.as_bytes(policy=default).decode(errors="replace").replace("=\n", "")
    show_url, alert_url = (re.search(rf"{site.address}/{part}/[\w-]+/", text) for part in ("shows", "alerts"))
    assert show_url
    assert alert_url

    with visiting() as visit:
        page = visit.page
        page.goto(show_url[0])
        page.get_by_role("checkbox", name="Stalls, row B, seat 4").click()
        page.get_by_role("button", name="Hold 1 seat").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your seat is held")
        page.goto(alert_url[0])
        page.get_by_role("button", name="Erase my address").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Your address is erased")
        assert visit.complaints == []
    assert not SaleAlert.objects.exists()
    assert not Notification.objects.filter(recipient="ada@example.org").exists()
