"""The payload of the QR code. These tests have no database: reading a payload must not need one."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import segno
from django.core.exceptions import ImproperlyConfigured

from tickets.checks import signing_keys_work
from tickets.errors import ForgedTicket
from tickets.qr import LENGTH, SignedTicket, read_ticket, sign_ticket

FIRST, SECOND, FOREIGN = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2, 3))


@pytest.fixture(autouse=True)
def _keys(settings: Any) -> None:
    settings.TICKET_SIGNING_KEYS = [FIRST]


@pytest.fixture
def payload() -> str:
    return sign_ticket(code="K7QM2XWD", show_id=42)


def test_what_was_signed_is_read_back_without_a_database(payload: str) -> None:
    assert read_ticket(payload=payload) == SignedTicket(code="K7QM2XWD", show_id=42)


def test_signing_twice_prints_the_same_code(payload: str) -> None:
    assert sign_ticket(code="K7QM2XWD", show_id=42) == payload


def test_the_payload_fits_a_qr_code_of_37_modules_in_alphanumeric_mode(payload: str) -> None:
    assert len(payload) == LENGTH
    code = segno.make_qr(payload, error="m", boost_error=False)
    assert code.mode == "alphanumeric"
    assert (code.version, len(code.matrix)) == (5, 37)


def test_a_payload_with_any_character_changed_is_forged(payload: str) -> None:
    for place, character in enumerate(payload):
        for other in "AB27":
            if other != character:
                with pytest.raises(ForgedTicket):
                    read_ticket(payload=payload[:place] + other + payload[place + 1 :])


@pytest.mark.parametrize(
    "text", ["", "B1", "hello", "B1" + "A" * 120, "B1" + "=" * 120, "B1" + "Ä" * 120, "https://example.org"]
)
def test_any_other_text_is_forged(text: str) -> None:
    with pytest.raises(ForgedTicket):
        read_ticket(payload=text)


def test_small_letters_are_another_text(payload: str) -> None:
    with pytest.raises(ForgedTicket):
        read_ticket(payload=payload.lower())


def test_white_space_around_a_payload_does_no_harm(payload: str) -> None:
    assert read_ticket(payload=f" {payload}\n").code == "K7QM2XWD"


def test_after_a_key_change_old_tickets_are_still_read(payload: str, settings: Any) -> None:
    settings.TICKET_SIGNING_KEYS = [SECOND, FIRST]
    assert read_ticket(payload=payload).show_id == 42
    fresh = sign_ticket(code="K7QM2XWD", show_id=42)
    settings.TICKET_SIGNING_KEYS = [SECOND]
    assert read_ticket(payload=fresh).show_id == 42


def test_a_key_that_was_removed_opens_no_door(payload: str, settings: Any) -> None:
    settings.TICKET_SIGNING_KEYS = [SECOND]
    with pytest.raises(ForgedTicket):
        read_ticket(payload=payload)


def test_a_ticket_signed_by_somebody_else_is_forged(settings: Any) -> None:
    settings.TICKET_SIGNING_KEYS = [FOREIGN]
    foreign = sign_ticket(code="K7QM2XWD", show_id=42)
    settings.TICKET_SIGNING_KEYS = [FIRST, SECOND]
    with pytest.raises(ForgedTicket):
        read_ticket(payload=foreign)


@pytest.mark.parametrize("show_id", [0, -1, 2**32])
def test_a_show_that_the_payload_cannot_name_is_refused(show_id: int) -> None:
    with pytest.raises(ValueError):
        sign_ticket(code="K7QM2XWD", show_id=show_id)


@pytest.mark.parametrize("keys", [[], ["not base64!"], [base64.b64encode(b"short").decode()], [FIRST, ""]])
def test_wrong_keys_stop_the_start_and_say_what_makes_a_right_one(keys: list[str], settings: Any) -> None:
    settings.TICKET_SIGNING_KEYS = keys
    with pytest.raises(ImproperlyConfigured, match="openssl rand -base64 32"):
        sign_ticket(code="K7QM2XWD", show_id=42)
    (problem,) = signing_keys_work()
    assert "TICKET_SIGNING_KEYS" in problem.msg


def test_right_keys_pass_the_check() -> None:
    assert signing_keys_work() == []
