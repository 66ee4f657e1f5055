"""Names and titles in every script, as the eye and the clipboard meet them on the printed ticket."""

from __future__ import annotations

import io
import unicodedata
from collections import Counter

import pypdfium2
import pytest
import zxingcpp
from pypdf import PdfReader
from structlog.testing import capture_logs

from tests.printed_tickets import MM, picture_of, rendered, text_of, ticket, unspaced
from tickets.system_fonts import packages_for, scripts_without_font

TEXTS = {
    "Greek": ("Η ζωή είναι όνειρο", "Ελένη Παπαδοπούλου"),
    "Cyrillic": ("Вишнёвый сад", "Наталія Ґалаґан"),
    "Vietnamese, letters and marks apart": ("Kie\u0302\u0300u", "Nguye\u0302\u0303n Thi\u0323 A\u0301nh"),
    "Arabic": ("ألف ليلة وليلة", "محمد بن عبد الله الخوارزمي"),
    "Persian, with a joiner": ("می\u200cخواهم", "پگاه گل\u200cپرور"),
    "Hebrew": ("הדיבוק", "דוד בן גוריון"),
    "Thai": ("รามเกียรติ์ ตอนศึกไมยราพ", "สมชาย ใจดีที่สุด"),
    "Devanagari": ("अभिज्ञानशाकुन्तलम्", "राज कुमार"),
    "Georgian": ("ვეფხისტყაოსანი", "შოთა რუსთაველი"),
    "Armenian": ("Անուշ", "Հովհաննես Թումանյան"),
    "Chinese": ("牡丹亭", "王小明"),
    "Japanese": ("曽根崎心中 ようこそ", "山田 タロウ"),
    "Korean": ("춘향전", "김민수"),
    "emoji": ("Rock 🎸 & Roll 🎉❤️", "Zoë 🦄👩‍👩‍👧‍👦👋🏽🇩🇪"),
    "symbols": ("Stars ★ ♥ ☺", "R♯ & B♭"),
}
RIGHT_TO_LEFT = {"Arabic", "Persian, with a joiner", "Hebrew"}
TWO_LETTERS = ["جش", "אש", "กฬ", "अक", "აქ", "աք", "中永", "あん", "가힣", "🎭🦄"]
FRONT = (0, 0, 297, 421)


@pytest.fixture(autouse=True, scope="module")
def _fonts() -> None:
    if missing := packages_for(scripts_without_font()):
        pytest.skip(f"no fonts for every script: apt-get install {' '.join(missing)}")


def boxes_in(pdf: bytes) -> list[str]:
    """The fonts in which letters are drawn as boxes: the renderer gives those a mapping of their own."""
    (page,) = PdfReader(io.BytesIO(pdf)).pages
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    return [str(font["/BaseFont"]) for font in fonts if font["/Encoding"] != "/Identity-H"]


def letters(text: str) -> Counter[str]:
    """The letters without what only binds or spaces them; marks alone, since a reader of PDFs may compose them."""
    return Counter(
        letter
        for letter in unicodedata.normalize("NFD", text)
        if unicodedata.category(letter) not in {"Cf", "Zs", "Mn"} and not letter.isspace()
    )


@pytest.mark.parametrize("script", TEXTS)
def test_a_name_and_a_title_have_all_their_letters_and_no_box(script: str) -> None:
    title, name = TEXTS[script]
    with capture_logs() as logs:
        pdf = rendered(ticket(title=title, holder_name=name))
    assert boxes_in(pdf) == []
    assert not [entry for entry in logs if entry["event"] == "ticket_letters_not_drawn"]
    # Readers differ in the order in which they give back what runs from right to left. The letters are the same.
    assert letters(title + name) <= letters(text_of(pdf))
    assert zxingcpp.read_barcodes(picture_of(pdf, dpi=110))


@pytest.mark.parametrize("script", [name for name in TEXTS if name not in RIGHT_TO_LEFT])
def test_a_name_is_copied_from_the_page_as_it_was_typed(script: str) -> None:
    name = TEXTS[script][1]
    read = unicodedata.normalize("NFC", unspaced(text_of(rendered(ticket(holder_name=name)))))
    assert unicodedata.normalize("NFC", unspaced(name)) in read


@pytest.mark.parametrize("pair", TWO_LETTERS)
def test_two_letters_of_a_script_do_not_look_the_same(pair: str) -> None:
    first, second = (picture_of(rendered(ticket(title=letter * 3)), dpi=72).crop(FRONT) for letter in pair)
    assert first.tobytes() != second.tobytes()


def test_a_letter_that_no_font_has_is_named_in_the_log_and_the_ticket_is_good() -> None:
    with capture_logs() as logs:
        pdf = rendered(ticket(holder_name="Ada \U000107c0"))  # assigned to nobody
    (entry,) = [entry for entry in logs if entry["event"] == "ticket_letters_not_drawn"]
    assert (entry["letters"], entry["log_level"]) == (["U+107C0"], "error")
    assert len(boxes_in(pdf)) == 1
    assert zxingcpp.read_barcodes(picture_of(pdf, dpi=110))


def places_of(pdf: bytes, text: str) -> list[tuple[float, float, float, float]]:
    """Where the letters of the text are, in points: left, bottom, right, top."""
    document = pypdfium2.PdfDocument(pdf)
    characters = document[0].get_textpage()
    printed = [characters.get_text_range(index, 1) for index in range(characters.count_chars())]
    found = [characters.get_charbox(index) for index, letter in enumerate(printed) if letter and letter in text]
    document.close()
    return found


def test_a_title_from_right_to_left_begins_at_the_right_and_its_latin_words_keep_their_place_in_it() -> None:
    pdf = rendered(ticket(title="הדיבוק 2 (QXJ)", subtitle=""))
    hebrew, latin = places_of(pdf, "הדיבוק"), places_of(pdf, "QXJ")[:3]
    assert max(box[2] for box in hebrew) > 94 * MM
    assert max(box[2] for box in latin) < min(box[0] for box in hebrew)


def test_a_title_from_left_to_right_begins_at_the_left_though_it_ends_in_hebrew() -> None:
    pdf = rendered(ticket(title="QXJ הדיבוק", subtitle=""))
    hebrew, latin = places_of(pdf, "הדיבוק"), places_of(pdf, "QXJ")[:3]
    assert min(box[0] for box in latin) < 10 * MM
    assert max(box[2] for box in latin) < min(box[0] for box in hebrew)


def test_a_name_from_right_to_left_leaves_the_other_lines_beside_it_alone() -> None:
    left = [places_of(rendered(ticket(holder_name=name)), "7")[0][0] for name in ("Ada", "דוד בן־גוריון")]
    assert left[0] == left[1]


@pytest.mark.parametrize(
    ("given", "font"),
    [
        ({"title": "骨直角海"}, "Noto-Serif-CJK-SC"),
        ({"title": "红楼梦"}, "Noto-Serif-CJK-SC"),
        ({"title": "龍門客棧"}, "Noto-Serif-CJK-TC"),
        ({"title": "畑で働く"}, "Noto-Serif-CJK-JP"),
        ({"title": "춘향전 春香傳"}, "Noto-Serif-CJK-KR"),
        ({"title": "骨直角海", "language": "ja"}, "Noto-Serif-CJK-JP"),
        ({"title": "骨直角海", "language": "zh-tw"}, "Noto-Serif-CJK-TC"),
        ({"title": "骨直角海", "time_zone": "Asia/Tokyo"}, "Noto-Serif-CJK-JP"),
        ({"title": "骨直角海", "time_zone": "Asia/Hong_Kong"}, "Noto-Serif-CJK-HK"),
        ({"title": "红楼梦", "time_zone": "Asia/Tokyo"}, "Noto-Serif-CJK-SC"),
    ],
)
def test_ideographs_take_the_forms_of_the_language_they_are_in(given: dict[str, str], font: str) -> None:
    (page,) = PdfReader(io.BytesIO(rendered(ticket(**given)))).pages
    names = {str(found.get_object()["/BaseFont"]).partition("+")[2] for found in page["/Resources"]["/Font"].values()}
    assert {name for name in names if "CJK" in name and not name.endswith("Bold")} >= {font}
    if given.get("language", "en") == "en":
        assert {name for name in names if "CJK" in name} == {font}
