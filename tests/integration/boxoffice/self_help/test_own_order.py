"""What a fan does to his own order is bounded, done once, and told to staff as his."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import translation

from boxoffice.changes.correct_name import correct_name
from boxoffice.changes.errors import NameUnchanged
from boxoffice.errors import InvalidContact
from boxoffice.models import Order, OrderAction
from boxoffice.self_help.by_fan import BY_FAN, in_words
from boxoffice.self_help.correct_own_name import correct_own_name
from boxoffice.self_help.errors import NameCorrectedOften, NothingToSend, SentJustNow, SentOften, TooLateForName
from boxoffice.self_help.send_tickets import MOST, PAUSE, send_tickets
from boxoffice.self_help.slip import is_slip
from boxoffice.tell_tickets import plan_tickets_mail
from notifications import transitions
from notifications.models import MessageAction, Notification
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once
from tickets.models import Ticket

pytestmark = pytest.mark.django_db
real_commits = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order_that_was_mailed(order_with_tickets: Order) -> Order:
    with transaction.atomic():
        plan_tickets_mail(order_id=order_with_tickets.pk)
    deliver_all()
    return Order.objects.get(pk=order_with_tickets.pk)


def deliver_all() -> None:
    for notification in Notification.objects.filter(status="queued"):
        transitions.mark_sent(notification_id=notification.pk)


def resent() -> int:
    return MessageAction.objects.filter(action="resend", by=BY_FAN).count()


def test_the_tickets_are_sent_again_to_the_orders_address_and_the_trail_says_by_whom(
    order_that_was_mailed: Order,
) -> None:
    send_tickets(order_id=order_that_was_mailed.pk)
    mail = Notification.objects.latest("pk")
    assert (mail.kind, mail.status, mail.recipient) == ("tickets_ready", "queued", order_that_was_mailed.email)
    assert MessageAction.objects.get().by == "the fan"


def test_ten_minutes_lie_between_two_and_three_are_all(order_that_was_mailed: Order, clock: Clock) -> None:
    for _time in range(MOST):
        send_tickets(order_id=order_that_was_mailed.pk)
        deliver_all()
        with pytest.raises(SentJustNow):
            send_tickets(order_id=order_that_was_mailed.pk)
        clock.advance(PAUSE + timedelta(seconds=1))
    with pytest.raises(SentOften):
        send_tickets(order_id=order_that_was_mailed.pk)
    assert resent() == MOST


@real_commits
def test_many_presses_at_once_send_once(order_that_was_mailed: Order) -> None:
    order_id = order_that_was_mailed.pk
    outcomes = all_at_once([lambda: send_tickets(order_id=order_id)] * 6, threads=6)
    assert sorted(type(each).__name__ for each in outcomes) == ["NoneType", *["SentJustNow"] * 5]
    assert resent() == 1


def test_what_has_no_tickets_or_was_never_mailed_sends_nothing(placed_order: Order) -> None:
    with pytest.raises(NothingToSend):
        send_tickets(order_id=placed_order.pk)
    assert resent() == 0


def test_a_slip_is_put_right_on_order_and_tickets_and_mailed(order_that_was_mailed: Order) -> None:
    corrected = correct_own_name(order_id=order_that_was_mailed.pk, name="Ada Lovelaec")
    assert corrected is not None
    assert corrected.is_printed_anew
    assert corrected.is_sent
    assert set(Ticket.objects.values_list("holder_name", flat=True)) == {"Ada Lovelaec"}
    action = OrderAction.objects.get()
    assert (action.by, action.details["from"], action.details["to"]) == ("the fan", "Ada Lovelace", "Ada Lovelaec")
    with translation.override("de"):
        assert in_words(by=action.by, reason=action.reason)[0] == "dem Gast selbst"


def test_a_correction_does_not_use_up_what_the_fan_may_have_sent(order_that_was_mailed: Order) -> None:
    correct_own_name(order_id=order_that_was_mailed.pk, name="Ada Lovelaec")
    deliver_all()
    send_tickets(order_id=order_that_was_mailed.pk)


def test_another_persons_name_is_no_slip_and_two_slips_lead_no_further_than_one(order_that_was_mailed: Order) -> None:
    order_id = order_that_was_mailed.pk
    for name in ("Eve Miller", "Ada King Lovelace", "", "Ada\r\nLovelace", "Ada\x00Lovelace", "A" * 5000):
        with pytest.raises(InvalidContact):
            correct_own_name(order_id=order_id, name=name)
    correct_own_name(order_id=order_id, name="Ada Loveless")
    with pytest.raises(InvalidContact):
        correct_own_name(order_id=order_id, name="Eva Loveless")
    assert OrderAction.objects.count() == 1


def test_twice_is_all_and_staffs_corrections_do_not_count(order_that_was_mailed: Order) -> None:
    order_id = order_that_was_mailed.pk
    correct_name(order_id=order_id, name="Grace Hopper", by="sam", reason="asked")
    for name in ("Grace Hoper", "Grace Hopper"):
        correct_own_name(order_id=order_id, name=name)
    with pytest.raises(NameCorrectedOften):
        correct_own_name(order_id=order_id, name="Grace Hoppers")


def test_the_same_form_sent_again_changes_nothing_more(order_that_was_mailed: Order) -> None:
    order_id = order_that_was_mailed.pk
    with pytest.raises(NameUnchanged):
        correct_own_name(order_id=order_id, name="Ada Lovelace")
    assert correct_own_name(order_id=order_id, name="Ada Lovelaec")
    assert correct_own_name(order_id=order_id, name=" Ada Lovelaec ") is None
    assert OrderAction.objects.count() == 1


@real_commits
def test_corrections_at_once_do_not_pass_their_bound(order_that_was_mailed: Order) -> None:
    order_id = order_that_was_mailed.pk

    def correct(name: str) -> bool:
        return correct_own_name(order_id=order_id, name=name) is not None

    names = ["Ada Lovelac", "Ada Lovlace", "Ad Lovelace", "Ada Lovelacee", "Adda Lovelace"]
    outcomes = all_at_once([lambda name=name: correct(name) for name in names], threads=5)  # type: ignore[misc]
    assert sum(each is True for each in outcomes) == 2
    assert OrderAction.objects.count() == 2


def test_on_the_day_of_the_show_by_the_venues_calendar_it_is_too_late(
    order_that_was_mailed: Order, clock: Clock
) -> None:
    show = order_that_was_mailed.show
    midnight = show.starts_at.astimezone(show.venue.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    clock.stand_still(at=midnight)
    with pytest.raises(TooLateForName):
        correct_own_name(order_id=order_that_was_mailed.pk, name="Ada Lovelaec")
    clock.stand_still(at=midnight - timedelta(seconds=1))
    assert correct_own_name(order_id=order_that_was_mailed.pk, name="Ada Lovelaec")


@pytest.mark.parametrize(
    ("earlier", "now", "expected"),
    [
        ("Ada Lovelace", "Ada Lovelaec", True),
        ("Lovelace Ada", "Ada Lovelace", True),
        ("ada lovelace", "Ada Lovelace", True),
        ("Jose Garcia", "José García", True),
        ("Muller", "Müller", True),
        ("Müller", "Mueller", True),
        ("Meier", "Maier", True),
        ("Ann Lee", "Bob Ray", False),
        ("Ada Lovelace", "Grace Hopper", False),
        ("Jo", "Al", False),
        ("Jo", "Joe", True),
        ("王小明", "王小红", True),
        ("★", "☆", False),
        ("Ada", "Ada Lovelace", False),
        ("\ufdfa" * 200, "\ufdfa" * 199 + "a", False),
    ],
)
def test_what_a_slip_is(earlier: str, now: str, expected: bool) -> None:
    assert is_slip(earlier=earlier, now=now) is expected


def test_the_pages_say_what_was_done_and_refuse_with_a_sentence(order_that_was_mailed: Order, client: Client) -> None:
    order = order_that_was_mailed
    for action, typed in (("send-again", {}), ("name", {"name": "Ada Lovelaec"})):
        address = f"/orders/{order.token}/{action}/"
        assert client.get(address).status_code == 200
        answer = client.post(address, typed)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"{address}?done=1")
        assert "notice good" in client.get(answer.headers["Location"]).content.decode()
    assert client.post(f"/orders/{order.token}/send-again/").status_code == 429
    page = client.post(f"/orders/{order.token}/name/", {"name": "<b>Eve</b>"})
    assert page.status_code == 422
    assert 'id="name-problem"' in page.content.decode()
    assert "<b>Eve" not in page.content.decode()


def test_without_the_secret_of_the_page_there_is_nothing(client: Client) -> None:
    for action in ("send-again", "name", "write-to-us"):
        assert client.post(f"/orders/guessed/{action}/", {"name": "Ada"}).status_code == 404
        assert client.get(f"/orders/guessed/{action}/").status_code == 404


def test_the_orders_page_leads_to_all_three(order_that_was_mailed: Order, client: Client) -> None:
    page = client.get(f"/orders/{order_that_was_mailed.token}/").content.decode()
    for action in ("send-again", "name", "write-to-us"):
        assert f'href="/orders/{order_that_was_mailed.token}/{action}/"' in page
