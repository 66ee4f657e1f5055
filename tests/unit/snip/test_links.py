"""Codes, words that people choose, and addresses they type."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from xml.etree import ElementTree

import pytest
import zxingcpp
from PIL import Image

from snip.links.clean_target import clean_target
from snip.links.codes import ALPHABET, CODE_LENGTH, RESERVED, clean_alias, draw_code
from snip.links.errors import InvalidAlias, InvalidTarget, ReservedAlias, TargetTooLong
from snip.links.qr import qr_png, qr_svg
from snip.redirect.own_paths import OWN_PATHS


def test_codes_are_short_hold_nothing_that_is_taken_for_another_sign_and_spell_no_word() -> None:
    drawn = {draw_code() for _ in range(2_000)}
    assert len(drawn) == 2_000
    signs = set("".join(drawn))
    assert signs == set(ALPHABET)
    assert not signs & set("0o1ilaeu")
    assert {len(code) for code in drawn} == {CODE_LENGTH}


def test_codes_say_nothing_of_those_drawn_before() -> None:
    """No sign of a code stands more often at its place than chance lets it: 28 signs, 20,000 draws, 715 each."""
    drawn = [draw_code() for _ in range(20_000)]
    for place in range(CODE_LENGTH):
        counts = [sum(code[place] == sign for code in drawn) for sign in ALPHABET]
        assert min(counts) > 520
        assert max(counts) < 910


@pytest.mark.parametrize(("typed", "kept"), [(" Spring-27 ", "spring-27"), ("ABC", "abc"), ("a" * 32, "a" * 32)])
def test_a_word_is_kept_in_lower_case(typed: str, kept: str) -> None:
    assert clean_alias(typed) == kept


@pytest.mark.parametrize(
    "typed",
    ["", "ab", "a" * 33, "-abc", "abc-", "a--b", "a b c", "größe", "a/b", "abc?", "abc\n.", "ａｂｃ", "abc\x00"],
)
def test_what_would_not_survive_an_address_or_a_telephone_call_is_no_word(typed: str) -> None:
    with pytest.raises(InvalidAlias):
        clean_alias(typed)


@pytest.mark.parametrize("typed", ["admin", "HealthZ", "metrics", "Clicks", "www", *OWN_PATHS])
def test_words_of_the_site_itself_are_nobodys(typed: str) -> None:
    with pytest.raises(ReservedAlias):
        clean_alias(typed.strip("/"))


def test_no_word_of_the_site_itself_is_ever_drawn() -> None:
    assert [word for word in RESERVED if len(word) == CODE_LENGTH and set(word) <= set(ALPHABET)] == []


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (" https://example.org ", "https://example.org"),
        ("HTTPS://Example.ORG/Path?q=1#x", "https://example.org/Path?q=1#x"),
        ("https://bühne.example/stück?ort=köln", "https://xn--bhne-0ra.example/st%C3%BCck?ort=k%C3%B6ln"),
        ("http://[2001:db8::1]:8080/a", "http://[2001:db8::1]:8080/a"),
    ],
)
def test_a_target_is_kept_as_a_location_header_carries_it(typed: str, kept: str) -> None:
    assert clean_target(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "example.org",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://example.org",
        "//example.org",
        "https://",
        "https://user:secret@example.org/",
        "https://user@example.org/",
        "https://example.org/a\r\nSet-Cookie: x=1",
        "https://example.org/a b",
        "https://exa mple.org",
        "https://example.org:99999/",
        "https://[::1/",
    ],
)
def test_what_is_no_address_of_a_page_is_no_target(typed: str) -> None:
    with pytest.raises(InvalidTarget):
        clean_target(typed)


def test_an_address_that_grows_too_long_when_it_is_encoded_is_refused() -> None:
    with pytest.raises(TargetTooLong):
        clean_target("https://example.org/" + "ä" * 1_000)


@pytest.mark.parametrize("code", ["k7x2mqf", "spring-concert-2027-in-the-garden"[:32]])
def test_the_qr_code_says_the_short_address_to_machines_and_to_people(settings: Any, code: str) -> None:
    settings.SNIP_BASE_URL = "https://bo.example.org"
    picture = Image.open(BytesIO(qr_png(code)))
    assert picture.width >= 1200
    assert [found.text for found in zxingcpp.read_barcodes(picture)] == [f"https://bo.example.org/{code}"]
    drawn = ElementTree.fromstring(qr_svg(code))
    assert [each.text for each in drawn.iter() if each.text] == [
        f"https://bo.example.org/{code}",
        f"bo.example.org/{code}",
    ]
