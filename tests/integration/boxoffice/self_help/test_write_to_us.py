"""What a fan writes reaches the people of the box office once, as text, and tells the writer nothing."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.test import Client

from boxoffice.attention.erase_messages import KEPT_DAYS, erase_messages
from boxoffice.attention.kinds import kind_named
from boxoffice.attention.settle_item import settle_item
from boxoffice.models import AskedAttention, AttentionAction, Order
from boxoffice.models.attention import LONGEST_TEXT
from boxoffice.self_help.errors import WroteOften
from boxoffice.self_help.write_to_us import MOST_A_DAY, printable, write_to_us
from notifications.limits import askers
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import all_at_once

pytestmark = pytest.mark.django_db
real_commits = pytest.mark.django_db(transaction=True)


def write(email: str = "ada@example.org", **given: object) -> bool:
    typed = {"text": "Where is my ticket?", "number": uuid4(), "language": "en", **given}
    return write_to_us(email=email, **typed)  # type: ignore[arg-type]


def form(**typed: str) -> dict[str, str]:
    return {"text": "Where is my ticket?", "email": "ada@example.org", "number": str(uuid4()), **typed}


def test_from_the_orders_page_the_message_leads_to_the_order(confirmed_order: Order, client: Client) -> None:
    address = f"/orders/{confirmed_order.token}/write-to-us/"
    assert confirmed_order.email in client.get(address).content.decode()
    answer = client.post(address, form(email="other@example.org"))
    assert answer.headers["Location"] == f"{address}?sent=1"
    message = AskedAttention.objects.get()
    assert (message.order_id, message.email, message.text) == (
        confirmed_order.pk,
        "other@example.org",
        "Where is my ticket?",
    )
    assert "Somebody at the box office reads it" in client.get(answer.headers["Location"]).content.decode()


def test_a_typed_code_leads_to_the_order_only_with_the_orders_own_address(confirmed_order: Order) -> None:
    code = confirmed_order.code
    assert write(confirmed_order.email.upper(), code=f"{code[:4]}-{code[4:].lower()}")
    assert write("eve@example.org", code=code)
    own, foreign = AskedAttention.objects.order_by("pk")
    assert (own.order_id, foreign.order_id) == (confirmed_order.pk, None)
    assert code in foreign.title
    assert "another address" in foreign.title


def test_with_a_right_code_a_wrong_one_and_none_the_answer_and_the_statements_are_the_same(
    confirmed_order: Order, client: Client
) -> None:
    told = []
    for code in (confirmed_order.code, "BCDF2345", ""):
        with statements() as asked:
            answer = client.post("/write-to-us/", form(code=code))
        told.append((answer.status_code, answer.headers["Location"], [each[:60] for each in asked]))
    assert told == [told[0]] * 3


@real_commits
def test_the_same_form_sent_many_times_at_once_is_one_message() -> None:
    number = uuid4()
    outcomes = all_at_once([partial(write, number=number)] * 6, threads=6)
    assert sorted(outcomes, key=str) == [False] * 5 + [True]
    assert AskedAttention.objects.count() == 1


@real_commits
def test_a_mailbox_writes_so_often_in_a_day_however_it_is_spelt(clock: Clock) -> None:
    writers = [partial(write, f"Ada+{number}@example.org") for number in range(MOST_A_DAY + 3)]
    outcomes = all_at_once(writers, threads=4)
    assert sum(isinstance(each, WroteOften) for each in outcomes) == 3
    assert write("eve@example.org")
    clock.advance(timedelta(days=1, seconds=1))
    assert write()


def test_many_addresses_write_so_often_about_one_order(confirmed_order: Order) -> None:
    for number in range(MOST_A_DAY):
        write(f"fan{number}@example.org", order=confirmed_order)
    with pytest.raises(WroteOften):
        write("more@example.org", order=confirmed_order)


def test_a_network_writes_so_often_and_no_more(client: Client) -> None:
    for number in range(askers.MOST):
        assert client.post("/write-to-us/", form(email=f"fan{number}@example.org")).status_code == 303
    refused = client.post("/write-to-us/", form(email="more@example.org"))
    assert refused.status_code == 429
    assert "Where is my ticket?" in refused.content.decode()


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"text": " \r\n\x00 "}, "text"),
        ({"text": "x" * (LONGEST_TEXT + 1)}, "text"),
        ({"text": "x" * 1_000_000}, "text"),
        ({"email": ""}, "email"),
        ({"email": "ada@example.org\r\nBcc: eve@example.org"}, "email"),
        ({"code": "B" * 5000}, "code"),
    ],
)
def test_what_is_wrong_is_said_at_its_field_and_nothing_is_kept(
    client: Client, typed: dict[str, str], field: str
) -> None:
    answer = client.post("/write-to-us/", form(**typed))
    assert answer.status_code == 422
    assert f'id="{field}-problem"' in answer.content.decode()
    assert not AskedAttention.objects.exists()


def test_what_is_far_too_large_or_damaged_is_refused(client: Client) -> None:
    assert client.post("/write-to-us/", form(text="x" * 3_000_000)).status_code in (400, 413)
    assert client.post("/write-to-us/", form(number="1; DROP TABLE")).status_code == 400


def test_controls_and_marks_of_direction_do_not_reach_the_desk() -> None:
    assert printable("a\x00b\x1b[31m\u202ec\r\nd\r\n") == "ab[31mc\nd"
    assert write(text="Zeile 1\r\nZeile 2\x00", code="\x00\x1b%")
    message = AskedAttention.objects.get()
    assert (message.text, message.title) == ("Zeile 1\nZeile 2", "Message from a fan")


def test_staff_read_markup_as_text(admin_client: Client) -> None:
    write(text="<script>alert(1)</script>\n<b>x</b>")
    page = admin_client.get("/admin/boxoffice/attention/").content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not re.search(r"<script>alert|<b>x", page)


def test_pages_without_an_order_are_linked_from_every_foot(client: Client) -> None:
    page = client.get("/").content.decode()
    assert 'href="/my-orders/"' in page
    assert 'href="/write-to-us/"' in page
    german = client.get("/write-to-us/", headers={"accept-language": "de"}).content.decode()
    assert "Ihre Nachricht" in german


def test_a_message_is_erased_long_after_it_was_settled_and_never_before(clock: Clock) -> None:
    assert write("ada@example.org")
    assert write("bob@example.org")
    settled, waits = AskedAttention.objects.order_by("pk")
    kind = kind_named("asked")
    assert kind is not None
    settle_item(kind=kind, key=str(settled.pk), by="anna", reason="answered")
    clock.advance(timedelta(days=KEPT_DAYS - 1))
    assert erase_messages() == 0
    clock.advance(timedelta(days=1, minutes=1))
    assert erase_messages() == 1
    assert list(AskedAttention.objects.all()) == [waits]
    assert AttentionAction.objects.filter(key=str(settled.pk), reason="answered").exists()
    assert erase_messages() == 0


def test_nobody_silences_a_fan_who_has_his_orders_page_by_writing_in_his_name(confirmed_order: Order) -> None:
    for _ in range(MOST_A_DAY):
        assert write(confirmed_order.email)
    with pytest.raises(WroteOften):
        write(confirmed_order.email)
    for _ in range(MOST_A_DAY):
        assert write(confirmed_order.email, order=confirmed_order)
    with pytest.raises(WroteOften):
        write("other@example.org", order=confirmed_order)
