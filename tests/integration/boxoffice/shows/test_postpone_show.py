"""Postponing a show: who is told, letting it go on, and money back on request, at the desk and on the order's page."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from icalendar import Calendar

from boxoffice.cancellation.preview import preview
from boxoffice.confirm_order import confirm_order
from boxoffice.errors import NothingToSay
from boxoffice.messages import draft
from boxoffice.messages.base import Draft
from boxoffice.models import Order, OrderAction, RefundOffer, ShowAction
from boxoffice.self_help.ask_money_back import ask_money_back
from boxoffice.self_help.errors import TooLateForMoneyBack
from boxoffice.shows.errors import OfferRefused, TimeHasPassed
from boxoffice.shows.holders import Holders, count_holders, count_told_of_postponing
from boxoffice.shows.move_show import move_and_tell
from boxoffice.shows.offer_refunds import extend_offer
from boxoffice.shows.postpone_show import go_on_and_tell, postpone_and_tell
from boxoffice.shows.tell_holders import tell_holders
from boxoffice.tell_tickets import plan_tickets_mail
from inventory.errors import TransitionRefused
from inventory.models import Show
from jobs.clock import database_now
from jobs.errors import ReasonMissing
from jobs.models import Job
from notifications.models import Notification
from notifications.suppression.lift_suppression import lift_suppression
from notifications.suppression.suppress_address import suppress_address
from tests.fixtures_clock import Clock
from tests.fixtures_staff import staff_with
from tickets.models import Ticket

pytestmark = pytest.mark.django_db

WHY: dict[str, Any] = {"by": "anna", "reason": "the singer is ill"}
TASK = "boxoffice.tell_holders"


def page_of(show: Show) -> str:
    return reverse("admin:inventory_show_postpone", args=[show.pk])


def seen(client: Client, address: str, typed: dict[str, Any] | None = None) -> str:
    answer = client.get(address, typed or {})
    assert answer.status_code == 200, answer
    return answer.content.decode()


def in_days(days: float) -> datetime:
    return database_now() + timedelta(days=days)


def postpone(show: Show, **given: Any) -> Show:
    """As it stands now."""
    show.refresh_from_db()
    postpone_and_tell(show_id=show.pk, seen=show.version, **{**WHY, **given})
    show.refresh_from_db()
    return show


def go_on(show: Show) -> Show:
    go_on_and_tell(show_id=show.pk, seen=show.version, **WHY)
    show.refresh_from_db()
    return show


def tell(show: Show, kind: str, **given: int) -> int:
    """What the job of the last change does."""
    return tell_holders(show_id=show.pk, kind=kind, version=show.version, **given)


def mail(order: Order, kind: str, show: Show) -> Draft:
    return draft(kind=kind, subject=order.subject, recipient="", occurrence=f"{show.version}#1")


# --- who is told ------------------------------------------------------------------------------------------------------


def test_who_has_tickets_is_told_once_that_the_new_date_is_not_known(order_with_tickets: Order) -> None:
    show = postpone(order_with_tickets.show)
    job = Job.objects.get(task=TASK)
    assert job.args == {"show_id": show.pk, "kind": "show_postponed", "version": show.version, "after": 0}
    assert [tell(show, "show_postponed"), tell(show, "show_postponed")] == [1, 0]
    told = mail(order_with_tickets, "show_postponed", show)
    assert told.subject.startswith("Postponed: ")
    assert told.context["money_back_url"] == ""
    [entry] = Calendar.from_ical(told.attachments[0].content).walk("VEVENT")
    assert (entry["SEQUENCE"], entry["STATUS"]) == (show.version, "TENTATIVE")


def test_a_full_page_enqueues_the_next_which_begins_behind_it(confirmed_order: Order) -> None:
    show = postpone(confirmed_order.show)
    assert tell(show, "show_postponed", page_size=1) == 1
    assert Job.objects.filter(task=TASK).latest("pk").args["after"] == confirmed_order.pk
    assert tell(show, "show_postponed", page_size=1, after=confirmed_order.pk) == 0


def test_a_mail_that_waits_is_not_sent_when_the_show_has_a_time_again(order_with_tickets: Order) -> None:
    show = postpone(order_with_tickets.show)
    version = show.version
    go_on(show)
    with pytest.raises(NothingToSay, match="has a time again"):
        draft(kind="show_postponed", subject=order_with_tickets.subject, recipient="", occurrence=str(version))


def test_who_paid_after_it_was_postponed_is_told_with_his_tickets(placed_order: Order) -> None:
    show = postpone(placed_order.show)
    confirm_order(order_id=placed_order.pk)
    plan_tickets_mail(order_id=placed_order.pk)
    plan_tickets_mail(order_id=placed_order.pk)
    told = Notification.objects.filter(kind="show_postponed").values_list("occurrence", flat=True)
    assert list(told) == [str(show.version)]


def test_who_was_told_is_told_that_it_takes_place_after_all_and_nobody_else(order_with_tickets: Order) -> None:
    before = postpone(order_with_tickets.show)
    Notification.objects.all().delete()
    show = go_on(before)
    with pytest.raises(NothingToSay, match="no mail has told"):
        mail(order_with_tickets, "show_goes_on", show)
    show = postpone(show)
    tell(show, "show_postponed")
    Notification.objects.filter(kind="show_postponed").update(status="sent", sent_at=database_now())
    show = go_on(show)
    assert tell(show, "show_goes_on") == 1
    told = mail(order_with_tickets, "show_goes_on", show)
    [entry] = Calendar.from_ical(told.attachments[0].content).walk("VEVENT")
    assert (entry["SEQUENCE"], entry["STATUS"]) == (show.version, "CONFIRMED")


def test_the_mail_about_the_new_date_says_that_it_was_postponed_and_offers_the_money_back(
    order_with_tickets: Order,
) -> None:
    show = postpone(order_with_tickets.show, refund_until=in_days(3))
    move_and_tell(show_id=show.pk, seen=show.version, starts_at=in_days(30), doors_at=None, **WHY)
    show.refresh_from_db()
    told = mail(order_with_tickets, "show_moved", show)
    assert told.context["was_postponed"]
    assert told.context["money_back_url"].endswith(f"/orders/{order_with_tickets.token}/money-back/")


# --- the show ---------------------------------------------------------------------------------------------------------


def test_pressed_twice_it_is_postponed_once_and_a_page_from_before_postpones_nothing(show_on_sale: Show) -> None:
    before = show_on_sale.version
    postpone_and_tell(show_id=show_on_sale.pk, seen=before, **WHY)
    with pytest.raises(TransitionRefused):
        postpone_and_tell(show_id=show_on_sale.pk, seen=before, **WHY)
    show_on_sale.refresh_from_db()
    go_on(show_on_sale)
    with pytest.raises(TransitionRefused):
        postpone_and_tell(show_id=show_on_sale.pk, seen=before, **WHY)
    assert [action.action for action in ShowAction.objects.order_by("pk")] == ["postpone", "go on"]
    assert Job.objects.filter(task=TASK).count() == 2


def test_without_a_reason_or_for_a_draft_nothing_is_postponed(staff: Client, draft_show: Show) -> None:
    with pytest.raises(ReasonMissing):
        postpone_and_tell(show_id=draft_show.pk, seen=draft_show.version, by="anna", reason=" ")
    for service in (postpone_and_tell, go_on_and_tell):
        with pytest.raises(TransitionRefused):
            service(show_id=draft_show.pk, seen=draft_show.version, **WHY)
    assert staff.get(page_of(draft_show)).status_code == 302
    assert not ShowAction.objects.exists()


def test_a_show_whose_time_has_passed_does_not_go_on_at_it(show_on_sale: Show, clock: Clock) -> None:
    show = postpone(show_on_sale)
    clock.advance(show.starts_at - database_now() + timedelta(hours=1))
    with pytest.raises(TimeHasPassed):
        go_on(show)


# --- money back on request --------------------------------------------------------------------------------------------


def test_until_the_deadline_the_fan_gives_his_order_back_once_and_it_is_written_as_by_him(
    client: Client, paid_order: Order
) -> None:
    postpone(paid_order.show, refund_until=in_days(14))
    order, asks = (reverse(name, args=[paid_order.token]) for name in ("order", "money_back"))
    assert asks in seen(client, order)
    assert "and you get 84.00" in seen(client, asks)
    assert not OrderAction.objects.exists()
    for _press in range(2):
        done = client.post(asks, follow=True)
        assert "goes to the card or account" in done.content.decode()
    action = OrderAction.objects.get()
    assert action.refund is not None
    assert (action.action, action.by, action.refund.amount) == ("refund", "the fan", 8_400)
    assert set(Ticket.objects.values_list("status", flat=True)) == {"void"}
    assert Job.objects.filter(task="boxoffice.send_refund").count() == 1
    assert asks not in seen(client, order)


def test_after_the_deadline_by_the_databases_clock_nothing_is_given_back(
    client: Client, confirmed_order: Order, clock: Clock
) -> None:
    until = in_days(14)
    move_and_tell(
        show_id=confirmed_order.show_id,
        seen=confirmed_order.show.version,
        starts_at=in_days(60),
        doors_at=None,
        refund_until=until,
        **WHY,
    )
    order, asks = (reverse(name, args=[confirmed_order.token]) for name in ("order", "money_back"))
    assert asks in seen(client, order)
    clock.advance(timedelta(days=14, seconds=1))
    assert asks not in seen(client, order)
    for answer in (client.get(asks), client.post(asks)):
        assert answer.status_code == 409
        assert "cannot be asked back here" in answer.content.decode()
    assert not OrderAction.objects.exists()


def test_who_bought_when_he_knew_the_new_date_is_offered_nothing(confirmed_order: Order, clock: Clock) -> None:
    postpone(confirmed_order.show, refund_until=in_days(14))
    Order.objects.filter(pk=confirmed_order.pk).update(placed_at=in_days(0.1))
    with pytest.raises(TooLateForMoneyBack):
        ask_money_back(order_id=confirmed_order.pk)


def test_without_an_offer_nobody_can_ask_and_the_mail_does_not_say_so(client: Client, confirmed_order: Order) -> None:
    show = postpone(confirmed_order.show)
    assert "This show is postponed" in seen(client, reverse("order", args=[confirmed_order.token]))
    with pytest.raises(TooLateForMoneyBack):
        ask_money_back(order_id=confirmed_order.pk)
    assert not RefundOffer.objects.filter(show=show).exists()


def test_the_deadline_is_only_ever_moved_on_and_may_be_offered_later(staff: Client, confirmed_order: Order) -> None:
    show = postpone(confirmed_order.show)
    address = reverse("admin:inventory_show_money_back", args=[show.pk])
    assert "never offered for this show" in seen(staff, address)
    late = in_days(9).replace(second=0, microsecond=0)
    typed = {"until": f"{timezone.localtime(late, show.venue.zone):%Y-%m-%dT%H:%M}", "reason": "many asked"}
    page = staff.post(address, typed, follow=True).content.decode()
    assert "Fans can have their money back until" in page
    assert "0 orders have asked so far" in page
    assert RefundOffer.objects.get().until == late
    with pytest.raises(OfferRefused):
        extend_offer(show_id=show.pk, until=in_days(5), **WHY)
    with pytest.raises(OfferRefused, match="more than a year"):
        extend_offer(show_id=show.pk, until=in_days(366), **WHY)
    with pytest.raises(OfferRefused, match="passed already"):
        extend_offer(show_id=show.pk, until=in_days(-1), **WHY)
    ask_money_back(order_id=confirmed_order.pk)
    assert f"{confirmed_order.code}</a>" in seen(staff, address)
    assert "1 order has asked so far" in seen(staff, address)
    assert ShowAction.objects.filter(action="offer").count() == 1


def test_a_show_that_was_never_moved_offers_nothing(show_on_sale: Show) -> None:
    with pytest.raises(OfferRefused, match="moved or postponed"):
        extend_offer(show_id=show_on_sale.pk, until=in_days(1), **WHY)


# --- the pages --------------------------------------------------------------------------------------------------------


def test_the_page_says_whom_it_tells_before_it_does_it(staff: Client, order_with_tickets: Order) -> None:
    show = order_with_tickets.show
    assert 'name="refund_until"' in seen(staff, page_of(show))
    until = timezone.localtime(in_days(14), show.venue.zone)
    typed = {"starts": "", "refund_until": f"{until:%Y-%m-%dT%H:%M}", "seen": show.version}
    asks = seen(staff, page_of(show), typed)
    day = f"{until:%a} {until.day} {until:%b %Y}"
    for words in ("1 order is told by mail", f"Until {day}", "Postpone and tell everybody"):
        assert words in asks
    assert not ShowAction.objects.exists()
    page = staff.post(page_of(show), {**typed, "reason": "the singer is ill"}, follow=True).content.decode()
    for words in ("The show is postponed.", "Postponed: 1 order has tickets.", f"Money back on request until {day}"):
        assert words in page
    action = ShowAction.objects.get()
    assert (action.action, action.by, action.reason) == ("postpone", "operator", "the singer is ill")


def test_with_a_new_time_it_leads_to_moving_with_what_was_typed(staff: Client, order_with_tickets: Order) -> None:
    show = order_with_tickets.show
    until = timezone.localtime(in_days(14), show.venue.zone)
    typed = {"starts": "2032-06-01T20:00", "refund_until": f"{until:%Y-%m-%dT%H:%M}", "seen": show.version}
    answer = staff.get(page_of(show), typed, follow=True)
    assert answer.redirect_chain[0][0].startswith(reverse("admin:inventory_show_move", args=[show.pk]))
    page = answer.content.decode()
    for words in ("Move and tell everybody", "Tue 1 Jun 2032, 20:00", f"Until {until:%a} {until.day} {until:%b %Y}"):
        assert words in page
    late = {**typed, "refund_until": "2032-06-02T12:00"}
    assert "Type a time before its start" in seen(staff, reverse("admin:inventory_show_move", args=[show.pk]), late)


def test_put_on_sale_asks_why_and_tells_who_was_told(staff: Client, order_with_tickets: Order) -> None:
    show = postpone(order_with_tickets.show)
    tell_holders(show_id=show.pk, kind="show_postponed", version=show.version)
    address = reverse("admin:inventory_show_sale", args=[show.pk])
    assert "takes place after all: 1 order." in seen(staff, address)
    assert 'name="reason"' in staff.post(address, {"seen": show.version}).content.decode()
    staff.post(address, {"seen": show.version, "reason": "she is well again"})
    assert Show.objects.get(pk=show.pk).status == "scheduled"
    assert Job.objects.filter(task=TASK, args__kind="show_goes_on").count() == 1


def test_the_list_has_no_way_around_the_pages_that_ask(staff: Client, show_on_sale: Show) -> None:
    listing = seen(staff, reverse("admin:inventory_show_changelist"))
    assert 'value="postpone"' not in listing
    show = postpone(show_on_sale)
    form = {"action": "put_on_sale", "_selected_action": [show.pk]}
    answer = staff.post(reverse("admin:inventory_show_changelist"), form, follow=True)
    assert "Put it on sale on its page" in answer.content.decode()
    assert Show.objects.get(pk=show.pk).status == "postponed"


def test_who_may_not_move_shows_may_not_postpone_them(client: Client, show_on_sale: Show) -> None:
    viewer = staff_with(client, "view_show", "change_show")
    for name in ("postpone", "money_back"):
        address = reverse(f"admin:inventory_show_{name}", args=[show_on_sale.pk])
        assert viewer.get(address).status_code == 403
        assert viewer.post(address, {}).status_code == 403
    assert page_of(show_on_sale) not in seen(viewer, reverse("admin:inventory_show_change", args=[show_on_sale.pk]))


def test_who_has_no_valid_ticket_any_more_is_not_counted_among_those_who_are_told(
    staff: Client, order_with_tickets: Order
) -> None:
    show, address = order_with_tickets.show, page_of(order_with_tickets.show)
    Ticket.objects.update(status="void", void_reason="disputed")
    asks = seen(staff, address, {"starts": "", "refund_until": "", "seen": show.version})
    assert "Nobody has tickets, so nobody is written to." in asks
    show = postpone(show)
    tell_holders(show_id=show.pk, kind="show_postponed", version=show.version)
    assert "takes place after all" not in seen(staff, reverse("admin:inventory_show_sale", args=[show.pk]))


def test_the_fan_of_a_show_that_goes_on_reads_that_and_not_that_it_was_moved(
    client: Client, confirmed_order: Order
) -> None:
    show = postpone(confirmed_order.show, refund_until=in_days(14))
    address = reverse("order", args=[confirmed_order.token])
    assert "If you do not want to wait or cannot come" in seen(client, address)
    go_on(show)
    page = seen(client, address)
    assert "This show takes place after all" in page
    assert "If you cannot come, you can have your money back until" in page
    for wrong in ("This show was moved", "do not want to wait"):
        assert wrong not in page


def test_once_the_show_is_cancelled_nobody_is_asked_whether_he_wants_his_money_back(
    client: Client, confirmed_order: Order
) -> None:
    Show.objects.filter(pk=confirmed_order.show_id).update(status="cancelled")
    answer = client.get(reverse("money_back", args=[confirmed_order.token]))
    assert answer.headers["Location"] == reverse("order", args=[confirmed_order.token])


@pytest.mark.parametrize(
    "address",
    ["ada@example.org", "Ada.Lovelace@Example.ORG", "ädä@example.org", "ada@bücher.example", "not an address"],
)
def test_whose_address_gets_no_bulk_mail_is_counted_apart_before_it_and_after_it(
    staff: Client, order_with_tickets: Order, address: str
) -> None:
    show = order_with_tickets.show
    Order.objects.filter(pk=order_with_tickets.pk).update(email=address)
    assert (count_holders(show), preview(show_id=show.pk).mails) == (Holders(reached=1, without=0), 1)
    suppress_address(address=address.upper(), reason="bounced", detail="gone", notification_id=1)
    assert count_holders(show) == Holders(reached=0, without=0, suppressed=1)
    about = preview(show_id=show.pk)
    assert (about.orders, about.mails, about.suppressed, about.without_address) == (1, 0, 1, 0)
    typed = {"starts": "", "refund_until": "", "seen": show.version}
    said = "1 order gets no mail, since an earlier one to its address came back"
    asks = seen(staff, page_of(show), typed)
    for words in ("0 orders are told by mail", said, "Who gets no mail can be rung"):
        assert words in asks
    assert said in seen(staff, reverse("admin:inventory_show_cancel", args=[show.pk]))
    postpone(show)
    after = seen(staff, reverse("admin:inventory_show_change", args=[show.pk]))
    assert said in after
    assert "Export their names and addresses" in after
    tell(show, "show_postponed")
    assert count_told_of_postponing(show) == 0
    lift_suppression(address=address, by="anna", reason="he has another provider")
    assert count_told_of_postponing(show) == 1
