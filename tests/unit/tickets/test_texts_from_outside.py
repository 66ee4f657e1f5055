"""What is printed of a text that somebody typed, and what a machine without fonts says. No database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tickets.checks import fonts_are_here
from tickets.direction import direction_of
from tickets.east_asian import east_asian_language, expected_language
from tickets.printable import MARKS_ON_A_LETTER, printable
from tickets.printed_text import block_of, text_of
from tickets.scripts import SCRIPTS

WITHOUT_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}</cachedir></fontconfig>"""


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("  Ada\t\n Lovelace ", "Ada Lovelace"),
        ("Ada\x00\x1b\u202eLove\u2066lace\ue000\ufffe", "AdaLovelace"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f"),
        ("\u200fABC\u200e", "\u200fABC\u200e"),
        ("a" + "\u0301" * 50 + "b", "a" + "\u0301" * MARKS_ON_A_LETTER + "b"),
        ("שׁ\u05bc\u05b8\u0591", "שׁ\u05bc\u05b8\u0591"),
        ("\ud800", ""),
        ("\ufff9Ada\ufffaby the sea\ufffb", "Adaby the sea"),
    ],
)
def test_what_cannot_be_printed_or_turns_other_words_around_is_left_out(typed: str, printed: str) -> None:
    assert printable(typed) == printed


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Hamlet", "ltr"),
        ("המלט", "rtl"),
        ("1001 ليلة", "rtl"),
        ("(Live) ليلة", "ltr"),
        ("«ليلة» Live", "rtl"),
        ("12", "ltr"),
    ],
)
def test_the_first_letter_with_a_direction_gives_it_to_the_text(text: str, direction: str) -> None:
    assert direction_of(text) == direction


@pytest.mark.parametrize(
    ("language", "zone", "expected"),
    [
        ("de", "Europe/Berlin", ""),
        ("ja", "Europe/Berlin", "ja"),
        ("zh_Hant_HK", "", "zh-HK"),
        ("zh-TW", "Asia/Tokyo", "zh-Hant"),
        ("zh-cn", "", "zh-Hans"),
        ("en", "Asia/Seoul", "ko"),
        ("jav", "", ""),
    ],
)
def test_the_order_and_else_the_venue_tell_which_forms_are_expected(language: str, zone: str, expected: str) -> None:
    assert expected_language(language=language, zone=zone) == expected


def test_a_text_without_east_asian_letters_has_no_east_asian_language() -> None:
    assert east_asian_language("Ада 🎭", expected="ja") == ""


def test_plain_lines_are_one_text_and_the_others_keep_their_own_direction() -> None:
    block = block_of([text_of("one"), text_of("two"), text_of(""), text_of("דוד"), text_of("three")], size="m")
    assert [(line.text, line.direction) for line in block.lines] == [
        ("one\ntwo", "ltr"),
        ("דוד", "rtl"),
        ("three", "ltr"),
    ]


def test_attributes_hold_words_of_ours_only() -> None:
    assert text_of('"><script>').attributes == ""
    assert text_of('中"><script>', size="m").attributes == ' class="m eastasian" lang="zh-Hans"'


def test_a_machine_without_fonts_is_told_what_prints_as_boxes_and_what_to_install(tmp_path: Path) -> None:
    settings = tmp_path / "fonts.conf"
    settings.write_text(WITHOUT_FONTS.format(folder=tmp_path))
    told = subprocess.run(
        [sys.executable, "-c", "from tickets.checks import fonts_are_here as f; (m,) = f(); print(m.msg, m.hint)"],
        env={**os.environ, "FONTCONFIG_FILE": str(settings)},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    assert all(script.name in told for script in SCRIPTS)
    assert "apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji" in told


def test_the_notice_stops_no_start() -> None:
    assert not any(message.is_serious() for message in fonts_are_here())
