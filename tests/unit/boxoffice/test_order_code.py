"""The code that people read aloud and the secret of the page."""

from __future__ import annotations

import base64

import pytest

from boxoffice.models.order import code_of, subject_of
from boxoffice.order_code import ALPHABET, draw_code, draw_token


def test_a_code_has_no_characters_that_are_taken_for_each_other() -> None:
    assert not set("0O1IAEIOU") & set(ALPHABET)
    assert set("".join(draw_code() for _ in range(500))) <= set(ALPHABET)
    assert len(draw_code()) == 8


def test_codes_and_tokens_do_not_repeat() -> None:
    assert len({draw_code() for _ in range(2_000)}) == 2_000
    assert len({draw_token() for _ in range(2_000)}) == 2_000


def test_a_token_holds_at_least_128_bits_and_fits_an_address() -> None:
    token = draw_token()
    assert len(base64.urlsafe_b64decode(token)) * 8 >= 128
    assert token.replace("-", "").replace("_", "").isalnum()


def test_a_subject_leads_back_to_its_code() -> None:
    assert code_of(subject=subject_of(code="7KQ2MXW4")) == "7KQ2MXW4"


@pytest.mark.parametrize("subject", ["", "order:", "show:7", "7KQ2MXW4"])
def test_the_subject_of_something_else_is_refused(subject: str) -> None:
    with pytest.raises(ValueError, match="not about an order"):
        code_of(subject=subject)
