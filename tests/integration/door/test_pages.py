"""The door's pages, with and without their script: who may open them, what they answer, and that one goes in."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import translation

from boxoffice.door.login import NIGHT_SECONDS
from boxoffice.refunds.refund_order import REFUNDED
from inventory.advance_show import advance_show
from inventory.models import Show
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.fixtures_door import PASSWORD, issue_for
from tests.fixtures_staff import staff_with
from tickets import transitions
from tickets.models import Scan, Ticket, VoidReason
from tickets.qr import sign_ticket


def address(show: Show) -> str:
    return reverse("door_of_show", args=[show.pk])


def send(client: Client, show: Show, code: str, **form: str) -> dict[str, Any]:
    """As the page's script does."""
    data = {"do": "scan", "how": "typed", "code": code} | form
    answer: dict[str, Any] = client.post(address(show), data, headers={"Accept": "application/json"}).json()
    return answer


def test_who_is_not_logged_in_is_sent_to_the_doors_login_and_logged_in_for_a_night(
    client: Client, door_user: Any, show_tonight: Show
) -> None:
    response = client.get(address(show_tonight))
    assert response.status_code == 302
    page = client.get(response.url)
    assert "Log this device in" in page.content.decode()

    response = client.post(response.url, {"username": "grace", "password": "wrong"})
    assert "do not match" in response.content.decode()
    response = client.post(
        reverse("door_login"), {"username": "grace", "password": PASSWORD, "next": address(show_tonight)}
    )
    assert response.url == address(show_tonight)
    assert client.session.get_expiry_age() == NIGHT_SECONDS
    assert client.get(address(show_tonight)).status_code == 200
    assert client.post(reverse("door_logout")).url == reverse("door_login")
    assert client.get(address(show_tonight)).status_code == 302


def test_a_login_without_the_permission_scans_nothing(client: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    support = staff_with(client, "view_ticket")
    assert support.get(reverse("door")).status_code == 403
    refused = support.post(address(ticket.show), {"do": "scan", "code": ticket.code})
    assert refused.status_code == 403
    assert send(support, ticket.show, ticket.code)["problem"] == "This login may not scan tickets."
    assert not Scan.objects.exists()


def test_a_script_whose_login_is_over_hears_so(client: Client, show_tonight: Show) -> None:
    assert "login is over" in send(client, show_tonight, "00000000")["problem"]


def test_the_camera_is_allowed_at_the_door_and_nowhere_else(at_the_door: Client, show_tonight: Show) -> None:
    scanner = at_the_door.get(address(show_tonight))
    assert scanner.headers["Permissions-Policy"] == "camera=(self), microphone=(), geolocation=()"
    assert "unsafe" not in scanner.headers["Content-Security-Policy"]
    for elsewhere in ("/", f"/shows/{show_tonight.slug}/", "/admin/login/", "/door/", "/door/login/"):
        assert "camera=()" in at_the_door.get(elsewhere).headers["Permissions-Policy"]


def test_the_shows_of_tonight_are_offered_from_six_hours_before_to_the_end_of_the_day(
    at_the_door: Client, make_show: Callable[..., Show], clock: Clock
) -> None:
    start = database_now().replace(hour=17, minute=30, second=0, microsecond=0) + timedelta(days=2)  # evening in Berlin
    make_show("Nightbirds", starts_at=start)

    def offered(query: str = "") -> bool:
        return "Nightbirds" in at_the_door.get(reverse("door") + query).content.decode()

    def move_to(hours: float) -> None:
        clock.advance(start + timedelta(hours=hours) - database_now())

    assert not offered()
    assert "No show now" in at_the_door.get(reverse("door")).content.decode()
    assert offered("?ahead")
    move_to(-6.1)
    assert not offered()
    move_to(-5.9)
    assert offered()
    move_to(4)
    assert offered()
    move_to(6.6)
    assert not offered("?ahead")


def test_the_name_that_was_typed_is_kept_by_who_looks_at_the_week_ahead(
    at_the_door: Client, make_show: Callable[..., Show]
) -> None:
    make_show("Nightbirds", starts_at=database_now() + timedelta(days=2))
    first = at_the_door.get(reverse("door")).text
    assert 'name="ahead"' in first
    week = at_the_door.post(reverse("door"), {"name": "North", "ahead": "1"}, follow=True).text
    assert 'value="North"' in week
    assert "Nightbirds" in week


def test_the_door_has_a_name_which_the_other_door_reads(at_the_door: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    chosen = at_the_door.post(reverse("door"), {"name": " Balcony,  left ", "show": ticket.show_id})
    assert chosen.url == address(ticket.show)
    send(at_the_door, ticket.show, ticket.code)
    second = send(at_the_door, ticket.show, ticket.code)
    assert second["result"] == "again"
    assert "at “Balcony, left” by grace" in second["html"]


def test_every_answer_says_its_word(
    at_the_door: Client, tickets_tonight: list[Ticket], make_show: Callable[..., Show]
) -> None:
    good, refunded, void, _ = tickets_tonight
    show = good.show
    (other,) = issue_for(make_show("Daybirds"), seats=1)
    transitions.mark_void(ticket_ids=[refunded.pk], reason="refunded")
    transitions.mark_void(ticket_ids=[void.pk], reason="seat changed")
    payload = sign_ticket(code=good.code, show_id=show.pk)
    said = {
        word: send(at_the_door, show, code)["html"]
        for word, code in {
            "Come in": payload,
            "In already": payload,
            "Refunded": refunded.code,
            "Void": void.code,
            "Not our ticket": "X" * 122,
            "Not known": "00000000",
            "Another show": other.code,
        }.items()
    }
    for word, html in said.items():
        assert f"<h2>{word}</h2>" in html
    assert "Stalls, row A, seat 1" in said["Come in"]
    assert "seat changed" in said["Void"]
    assert "Daybirds" in said["Another show"]
    assert "Berlin time" in said["Another show"]
    assert "Kammertheater" in said["Another show"]
    advance_show(show_id=show.pk, to=Show.Status.POSTPONED)
    assert "<h2>Show postponed</h2>" in send(at_the_door, show, payload)["html"]


@pytest.mark.parametrize("how", ["camera", "scanner"])
def test_what_a_camera_or_a_hand_scanner_reads_needs_our_signature(
    at_the_door: Client, tickets_tonight: list[Ticket], how: str
) -> None:
    ticket = tickets_tonight[0]
    for drawn in (ticket.code, ticket.printed_code, "https://example.org/foreign-ticket/123456789"):
        assert "<h2>Not our ticket</h2>" in send(at_the_door, ticket.show, drawn, how=how)["html"]
    genuine = sign_ticket(code=ticket.code, show_id=ticket.show_id)
    assert "<h2>Come in</h2>" in send(at_the_door, ticket.show, genuine, how=how)["html"]


def test_a_refunded_ticket_of_another_show_is_refunded_first_and_the_list_tells_the_two_apart(
    at_the_door: Client, tickets_tonight: list[Ticket], make_show: Callable[..., Show]
) -> None:
    show = tickets_tonight[0].show
    good, refunded = issue_for(make_show("Daybirds"), seats=2)
    transitions.mark_void(ticket_ids=[refunded.pk], reason="refunded")
    html = send(at_the_door, show, refunded.code)["html"]
    assert "<h2>Refunded</h2>" in html
    assert "It was for another show: Daybirds." in html
    assert "right door or day" not in html
    send(at_the_door, show, good.code)
    send(at_the_door, show, tickets_tonight[1].code)
    listed = at_the_door.get(reverse("door_state", args=[show.pk])).json()["scans"]
    for tone, mark in (("good", "✓"), ("caution", "↪"), ("bad", "↩")):
        assert f'<li class="scan {tone}">' in listed
        assert f'<span class="mark" aria-hidden="true">{mark}</span>' in listed
    assert "✕" not in listed


def test_the_word_that_a_refund_leaves_on_a_ticket_is_the_one_that_the_door_knows() -> None:
    assert REFUNDED == VoidReason.REFUNDED


def test_without_a_script_the_page_itself_answers(at_the_door: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    page = at_the_door.post(address(ticket.show), {"do": "scan", "code": ticket.printed_code}).content.decode()
    assert "Come in" in page
    assert "ask for the name" in page
    assert "<b>1</b> of 4 in" in page
    page = at_the_door.post(
        address(ticket.show), {"do": "undo", "code": ticket.code, "reason": "a mistake"}
    ).content.decode()
    assert "Undone" in page
    assert "<b>0</b> of 4 in" in page
    page = at_the_door.post(address(ticket.show), {"do": "by_hand", "code": ticket.code, "reason": ""}).content.decode()
    assert "A reason is missing" in page
    page = at_the_door.post(
        address(ticket.show), {"do": "by_hand", "code": ticket.code, "reason": "known to us"}
    ).content.decode()
    assert "Come in" in page
    assert [scan.result for scan in Scan.objects.all()] == ["admitted", "undone", "by hand"]


@pytest.mark.parametrize("do", ["scan", "by_hand"])
def test_a_request_that_is_repeated_since_its_answer_got_lost_hears_the_same_and_admits_once(
    at_the_door: Client, tickets_tonight: list[Ticket], do: str
) -> None:
    ticket = tickets_tonight[0]
    form = {"do": do, "reason": "known to us", "attempt": uuid4().hex}
    first = send(at_the_door, ticket.show, ticket.code, **form)
    assert "<h2>Come in</h2>" in first["html"]
    assert send(at_the_door, ticket.show, ticket.code, **form) == first
    assert Scan.objects.count() == 1
    # Whoever comes next with the same ticket is another request.
    other = send(at_the_door, ticket.show, ticket.code, **form | {"attempt": uuid4().hex})
    assert "Come in" not in other["html"]
    assert Scan.objects.filter(result__in=("admitted", "by hand")).count() == 1


def test_a_name_from_right_to_left_keeps_to_itself(at_the_door: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    Ticket.objects.update(holder_name="שרה כהן")
    Show.objects.update(title="ليلة الطيور")
    at_the_door.post(reverse("door"), {"name": "שער 2", "show": ticket.show_id})
    html = send(at_the_door, ticket.show, ticket.code)["html"]
    assert "<bdi>שרה כהן</bdi>" in html
    assert "“\u2068שער 2\u2069” by grace" in send(at_the_door, ticket.show, ticket.code)["html"]
    page = at_the_door.get(address(ticket.show)).content.decode()
    assert "<bdi>ليلة الطيور</bdi>" in page
    assert '<bdi class="door-name">שער 2</bdi>' in page
    assert page.count("<bdi>שרה כהן</bdi>") == 2


def test_a_code_that_cannot_be_admitted_yet_is_given_to_the_form_for_doing_it_by_hand(
    at_the_door: Client, tickets_tonight: list[Ticket]
) -> None:
    late, good, *_ = tickets_tonight
    Ticket.objects.filter(pk=late.pk).update(status="pending", issued_at=None)
    assert send(at_the_door, late.show, late.code)["code"] == late.printed_code
    assert send(at_the_door, good.show, good.code)["code"] is None


def test_an_admission_through_another_door_can_be_undone_where_the_ticket_comes_a_second_time(
    at_the_door: Client, tickets_tonight: list[Ticket]
) -> None:
    ticket = tickets_tonight[0]

    def scanned_at(door: str) -> str:
        at_the_door.post(reverse("door"), {"name": door})
        send(at_the_door, ticket.show, ticket.code)
        return at_the_door.get(address(ticket.show)).content.decode()

    assert scanned_at("North").count("Undo this admission") == 1
    assert scanned_at("South").count("Undo this admission") == 1
    assert scanned_at("South").count("Undo this admission") == 1  # at the newest row only
    undone = send(at_the_door, ticket.show, ticket.code, do="undo", reason="the wrong person")
    assert undone["result"] == "undone"
    assert "Undo this admission" not in at_the_door.get(address(ticket.show)).content.decode()


def test_the_log_tells_of_a_scan_without_a_name_a_code_or_a_reason(
    at_the_door: Client,
    tickets_tonight: list[Ticket],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    ticket = tickets_tonight[0]
    with caplog.at_level(0):
        send(at_the_door, ticket.show, ticket.code)
        send(at_the_door, ticket.show, ticket.code, do="undo", reason="a secret of theirs")
        send(at_the_door, ticket.show, "X" * 122, how="camera")
    queries = "django.db.backends"  # the server's own debugging, which no process of ours turns on
    logged = " ".join(each.getMessage() for each in caplog.records if each.name != queries)
    told = logged + "".join(capfd.readouterr())
    for secret in (ticket.code, ticket.printed_code, "Ada", "a secret of theirs"):
        assert secret not in told


def test_nonsense_is_answered_and_changes_nothing(at_the_door: Client, show_tonight: Show) -> None:
    for code in ("", "\x00", "x" * 5000):
        assert send(at_the_door, show_tonight, code)["result"] == "refused"
    assert send(at_the_door, show_tonight, "00000000", attempt="no mark")["result"] == "refused"
    assert send(at_the_door, show_tonight, "00000000", do="dance")["result"] == "refused"
    assert at_the_door.get("/door/99999999999999999999/").status_code == 404
    assert at_the_door.post("/door/99999999999999999999/", {"do": "scan", "code": "0"}).status_code == 404
    for show_id in ("٣x", "9" * 5000):
        assert at_the_door.post(reverse("door"), {"name": "\x00", "show": show_id}).status_code == 303
    assert not Scan.objects.exists()


def test_a_form_of_another_site_lets_nobody_in(door_user: Any, tickets_tonight: list[Ticket]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(door_user)
    ticket = tickets_tonight[0]
    assert client.post(address(ticket.show), {"do": "scan", "code": ticket.code}).status_code == 403
    assert not Scan.objects.exists()


def test_the_state_brings_the_count_and_only_news_of_the_list(
    at_the_door: Client, tickets_tonight: list[Ticket]
) -> None:
    first, second, *_ = tickets_tonight
    send(at_the_door, first.show, first.code)
    page = reverse("door_state", args=[first.show_id])
    state = at_the_door.get(page, {"seen": "0"}).json()
    assert "<b>1</b> of 4 in" in state["count"]
    assert first.printed_code in state["scans"]
    assert "Undo this admission" in state["scans"]
    assert at_the_door.get(page, {"seen": str(state["newest"])}).json()["scans"] is None
    send(at_the_door, first.show, second.code)
    assert second.printed_code in at_the_door.get(page, {"seen": str(state["newest"])}).json()["scans"]


@pytest.mark.django_db(transaction=True)
def test_of_two_devices_that_send_one_ticket_at_one_moment_one_lets_in(
    door_user: Any, tickets_tonight: list[Ticket]
) -> None:
    devices = [Client(), Client()]
    for name, device in zip(("North", "South"), devices, strict=True):
        device.force_login(door_user)
        device.post(reverse("door"), {"name": name})
    for ticket in tickets_tonight:
        barrier = Barrier(2)

        def run(device: Client, ticket: Ticket = ticket, barrier: Barrier = barrier) -> dict[str, Any]:
            try:
                barrier.wait(timeout=30)
                return send(device, ticket.show, sign_ticket(code=ticket.code, show_id=ticket.show_id), how="camera")
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(run, devices))
        assert sorted(answer["result"] for answer in answers) == ["admitted", "again"], json.dumps(answers)
        (winner,) = Scan.objects.filter(ticket=ticket, result="admitted")
        (second,) = [answer for answer in answers if answer["result"] == "again"]
        assert f"at “{winner.door}” by grace" in second["html"]


def test_the_door_speaks_german(at_the_door: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    at_the_door.cookies["django_language"] = "de"
    page = at_the_door.get(address(ticket.show)).content.decode()
    assert "Kamera starten" in page
    assert "Einlass" in send(at_the_door, ticket.show, ticket.code)["html"]
    assert "Schon drin" in send(at_the_door, ticket.show, ticket.code)["html"]
    translation.deactivate()


def test_the_desk_and_the_door_show_the_way_to_each_other(
    client: Client, admin_client: Client, show_tonight: Show
) -> None:
    assert f'href="{reverse("door_login")}"' in client.get("/admin/login/").content.decode()
    assert f'href="{reverse("door")}"' in admin_client.get("/admin/").content.decode()
    support = staff_with(client, "view_ticket")
    assert f'href="{reverse("door")}"' not in support.get("/admin/").content.decode()


def test_staff_see_in_the_admin_what_happened_at_the_door(admin_client: Client, tickets_tonight: list[Ticket]) -> None:
    ticket = tickets_tonight[0]
    send(admin_client, ticket.show, ticket.code)
    page = admin_client.get(reverse("admin:tickets_ticket_change", args=[ticket.pk])).content.decode()
    assert "At the door" in page
    assert "admitted" in page
