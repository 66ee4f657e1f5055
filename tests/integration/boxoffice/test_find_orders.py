"""Orders are found by whatever a caller can tell, with slips, and by indexes alone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from boxoffice import transitions
from boxoffice.confirm_order import confirm_order
from boxoffice.models import Dispute, Order, OrderLine, OrderWord, Payment, Refund
from boxoffice.search import statements as sql
from boxoffice.search.find_orders import find_orders
from boxoffice.search.found import By, Hit
from inventory.hold_seats import hold_seats
from inventory.models import Hold, Show
from jobs.clock import database_now
from tests.fixtures_boxoffice import place, statements
from tests.fixtures_inventory import seat_ids
from tickets.models import Ticket

pytestmark = pytest.mark.django_db


@pytest.fixture
def adas_order(held_seats: Hold, make_hold: Callable[..., Hold]) -> Order:
    """Stalls A 1 and A 2, confirmed, beside somebody else's."""
    confirm_order(order_id=place(make_hold(), name="Grace Hopper", email="grace@example.com").pk)
    order = place(held_seats, name="Ada Lovelace-Müller", email="ada.lovelace@example.org")
    Order.objects.filter(pk=order.pk).update(code="BCDF2345")
    order = confirm_order(order_id=order.pk)
    first, second = Ticket.objects.filter(order_id=order.pk).order_by("pk")
    Ticket.objects.filter(pk=first.pk).update(code="K7Q1XW0D")
    Ticket.objects.filter(pk=second.pk).update(code="3456789A")
    return order


@pytest.fixture
def adas_money(adas_order: Order) -> Refund:
    """A payment of hers, and a refund of it."""
    done = {"amount": 4_200, "currency": "EUR", "status": "succeeded", "settled_at": database_now()}
    payment = Payment.objects.create(
        order=adas_order, idempotency_key="payment-7f3a", provider_id="cs_test_a1B2", intent_id="pi_3NxYz", **done
    )
    return Refund.objects.create(payment=payment, idempotency_key="refund-9c1d", provider_id="re_3NxQr", **done)


def found(text: str, **how: Any) -> list[Hit]:
    return list(find_orders(text=text, **how).hits)


def answers(*typed: str, **how: Any) -> dict[str, list[Hit]]:
    """What each of these finds."""
    return {text: found(text, **how) for text in typed}


def test_an_order_is_found_by_its_code_however_it_is_written_and_by_its_beginning(adas_order: Order) -> None:
    typed = ("BCDF2345", "bcdf 2345", " BCDF-2345 ", "#bcdf2345", "order:BCDF2345", "bcdf2")
    assert answers(*typed) == {text: [Hit(adas_order.pk, By.CODE, "BCDF2345")] for text in typed}


def test_a_slip_in_an_order_code_is_forgiven_and_told(adas_order: Order) -> None:
    typed = ("BCDF2354", "BCDG2345", "BCDF234", "BCDF23345", "BCDFZ345", "BCOF2345")
    near = [Hit(adas_order.pk, By.CODE, "BCDF2345", is_near=True)]
    assert answers(*typed) == dict.fromkeys(typed, near) | {"BCDF234": [Hit(adas_order.pk, By.CODE, "BCDF2345")]}


def test_a_ticket_is_found_as_it_is_printed_as_it_is_misread_and_with_a_slip(adas_order: Order) -> None:
    misread = ("K7Q1-XW0D", "k7q1xw0d", "K7QI XWOD", "k7ql-xwod")
    assert answers(*misread) == {text: [Hit(adas_order.pk, By.TICKET, "K7Q1XW0D")] for text in misread}
    slips = ("K7Q1-WX0D", "K7Q1-XW0", "K7Q2-XW0D")
    assert answers(*slips) == {text: [Hit(adas_order.pk, By.TICKET, "K7Q1XW0D", is_near=True)] for text in slips}


def test_money_is_found_by_our_numbers_our_keys_and_the_ids_of_the_provider(adas_money: Refund) -> None:
    order = adas_money.payment.order_id
    for typed in ("payment-7f3a", "cs_test_a1B2", "pi_3NxYz", str(adas_money.payment_id), f"#{adas_money.payment_id}"):
        assert Hit(order, By.PAYMENT, typed) in found(typed)
    for typed in ("refund-9c1d", "re_3NxQr"):
        assert found(typed) == [Hit(order, By.REFUND, typed)]


def test_a_dispute_is_found_by_its_id_at_the_provider(adas_money: Refund) -> None:
    now = database_now()
    Dispute.objects.create(
        payment_id=adas_money.payment_id, provider_id="du_3NxDp", status="lost", amount=4_200, currency="EUR",
        opened_at=now, asked_at=now,
    )  # fmt: skip
    by_id = [Hit(adas_money.payment.order_id, By.DISPUTE, "du_3NxDp")]
    assert answers("du_3NxDp", " du_3NxDp ") == {"du_3NxDp": by_id, " du_3NxDp ": by_id}
    assert found("du_3NxDp", by_person=False) == by_id


def test_a_seat_is_found_by_row_and_number_and_by_what_else_is_said(adas_order: Order) -> None:
    seat = Hit(adas_order.pk, By.SEAT, str(seat_ids(adas_order.show, "A-1")[0]))
    typed = ("A1", "a 1", "Stalls A 1", "stals A1", "row A seat 1", "Nightbirds A1", "Stalls, row A, seat 1")
    assert {text: seat in hits for text, hits in answers(*typed).items()} == dict.fromkeys(typed, True)
    assert found("Balcony A1") == []


def test_the_seat_of_the_nearest_show_comes_first_and_the_show_may_be_said(make_show: Callable[..., Show]) -> None:
    orders = {}
    for title, days in (("Winter Letters", 30), ("Paper Boats", 2), ("Hamlet", 9)):
        show = make_show(title, starts_at=database_now() + timedelta(days=days))
        hold = hold_seats(show_id=show.pk, seat_ids=seat_ids(show, "B-7"))
        orders[title] = place(hold, email=f"{days}@example.org").pk
    assert [hit.order_id for hit in found("B7")] == [orders["Paper Boats"], orders["Hamlet"], orders["Winter Letters"]]
    assert [hit.order_id for hit in found("Stalls, row B, seat 7 hamle")] == [orders["Hamlet"]]


def test_who_gave_a_seat_back_stands_behind_who_has_it_now(adas_order: Order, make_hold: Callable[..., Hold]) -> None:
    other = place(make_hold(), email="other@example.org")
    seat = OrderLine.objects.filter(order=adas_order).order_by("seat__position").values_list("seat_id", flat=True)[0]
    OrderLine.objects.create(order=other, seat_id=seat, tier_name="Front", price=0, refunded_at=database_now())
    hits = [hit.order_id for hit in found("Nightbirds A1") if hit.what == str(seat)]
    assert hits == [adas_order.pk, other.pk]


def test_a_buyer_is_found_by_words_in_any_order_with_or_without_accents(adas_order: Order) -> None:
    names = ("Ada Lovelace", "lovelace ada", "ADA", "müller", "Muller", "lovela", "Lovelace-Muller,")
    typed = (*names, "ada.lovelace@example.org", "<ada.lovelace@example.org>", "Ada.Love", "ada.", "ada.lo")
    assert answers(*typed) == {text: [Hit(adas_order.pk, By.NAME)] for text in typed}


def test_a_misspelt_or_misheard_buyer_is_found_and_told_so(adas_order: Order) -> None:
    names = ("Ada Lovlace", "Lvoelace", "Lovelase", "Mueller", "Aad Lovelace", "Ada Mellar", "Ada Lovelace-Mueller")
    typed = (*names, "ada.lovelace@example.com", "ada.lovelace@exmaple.org", "adda.lovelaec@exampel.org")
    assert answers(*typed) == {text: [Hit(adas_order.pk, By.NAME, is_near=True)] for text in typed}


def test_who_is_nobody_is_not_found(adas_order: Order) -> None:
    typed = ("Ada Hopper", "Babbage", "lovelace grace", "charles@example.org", "ZZZZ9999", "xy")
    assert answers(*typed) == {text: [] for text in typed}


def test_the_exact_ones_come_first_and_then_the_newest(make_hold: Callable[..., Hold]) -> None:
    orders = [
        place(make_hold(), name=name, email=f"{nth}@example.org").pk
        for nth, name in enumerate(("Jo Schmidt", "Jo Schmitt", "Jo Schmidt", "Jo Schmit"))
    ]
    assert [hit.order_id for hit in found("Jo Schmitt")] == [orders[1], orders[3], orders[2], orders[0]]
    assert [hit.is_near for hit in found("Jo Schmitt")] == [False, True, True, True]


def test_a_corrected_name_and_address_are_found_and_the_old_ones_no_more(adas_order: Order) -> None:
    transitions.correct_name(order_id=adas_order.pk, name="Ada Byron")
    transitions.correct_address(order_id=adas_order.pk, email="byron@example.org")
    hers = [Hit(adas_order.pk, By.NAME)]
    typed = ("Byron", "byron@example.org", "Ada")
    assert answers(*typed) == dict.fromkeys(typed, hers)
    assert found("Lovelace") == []
    OrderLine.objects.filter(order=adas_order).delete()
    Order.objects.filter(pk=adas_order.pk)._raw_delete("default")
    assert not OrderWord.objects.filter(order_id=adas_order.pk).exists()


def test_confirming_writes_no_words(placed_order: Order) -> None:
    words = "SELECT word, xmin::text FROM boxoffice_orderword WHERE order_id = %(id)s ORDER BY word"
    before = sql.rows_of(words, id=placed_order.pk)
    assert "lovelace" in dict(before)
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT later")  # whose rows would tell another number
    confirm_order(order_id=placed_order.pk)
    assert sql.rows_of(words, id=placed_order.pk) == before


def test_who_may_not_see_names_finds_by_a_whole_address_and_by_what_is_printed(adas_order: Order) -> None:
    by_person = ("Ada Lovelace", "lovelace", "ada.lovelace@", "ada.lovelace@example.com", "Lovlace")
    assert answers(*by_person, by_person=False) == {text: [] for text in by_person}
    for typed in ("ADA.lovelace@example.org", "BCDF2354", "bcdf2", "K7Q1-XW0D", "Stalls A1"):
        assert adas_order.pk in [hit.order_id for hit in found(typed, by_person=False)]


ODD = (
    *("", "   ", "%", "_", "%%s", "'", '"', "\\", "\x00", "a\x00b", "@", "@@", "a@", "-", "~mar", "🎭", "{}", "("),
    *("'; DROP TABLE x", "9" * 60, "a" * 5_000, " ".join("abcdefgh"), "𝔸𝕕𝕒", "ада", "C 99999999", str(2**63), "İ", "ß"),
)  # fmt: skip


def test_whatever_is_typed_is_answered_in_few_statements(adas_order: Order) -> None:
    for typed in (*ODD, "no such person at all in here " * 10):
        with statements() as seen:
            assert len(found(typed)) <= 2, typed
            assert len(found(typed, by_person=False)) <= 2, typed
        assert len(seen) < 20, typed


VALUES: dict[str, dict[str, Any]] = {
    "FIND_BY_KEY": {"order_code": "A", "ticket_code": "B", "text": "c", "number": 1},
    "FIND_BY_CODES": {"order_codes": ["A"], "ticket_codes": ["B"]},
    "FIND_BY_BEGINNING": {"beginning": "ABCD%", "most": 10},
    "FIND_BY_SEAT": {"places": ["a 1"], "words": ["x"], "shows": 5, "likeness": 0.5, "most": 10},
    "KNOWN_WORDS": {"words": ["a"], "enough": 5},
    "WORDS_THAT_BEGIN": {"beginning": "a", "most": 5},
    "FIND_BY_WORDS": {"terms": [0], "words": ["a"], "aways": [0], "newest": 5, "most": 5},
}  # fmt: skip


def test_each_look_goes_by_an_index(db: None) -> None:
    read_through = set()
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for name, values in VALUES.items():
            cursor.execute(f"EXPLAIN {getattr(sql, name)}".replace("{away}", "min(away)"), values)
            plan = [line for (line,) in cursor.fetchall()]
            read_through |= {line.split("Seq Scan on ")[1].split()[0] for line in plan if "Seq Scan on " in line}
    assert read_through <= {"inventory_show"}
