"""200 letters of any script in a title, a subtitle or a name: smaller, wrapped, in their own box."""

from __future__ import annotations

import pypdfium2
import pytest
import zxingcpp
from PIL import Image, ImageChops

from tests.printed_tickets import MM, picture_of, rendered, text_of, ticket
from tickets.qr import sign_ticket

DPI = 110
ALPHABETS = {
    "Latin": "The quick brown fox jumps over the lazy dog and ",
    "capitals": "WMQOGDWWMMWMQOGD",
    "Greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία και ",
    "Cyrillic": "Съешь ещё этих мягких французских булок да ",
    "Arabic": "نص حكيم له سر قاطع وذو شأن عظيم ",
    "Hebrew": "דג סקרן שט בים מאוכזב ולפתע מצא חברה ",
    "Thai": "เป็นมนุษย์สุดประเสริฐเลิศคุณค่ากว่าบรรดาฝูงสัตว์เดรัจฉาน",
    "Devanagari": "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा ",
    "Tamil": "யாமறிந்த மொழிகளிலே தமிழ்மொழி போல் ",
    "Chinese": "視野無限廣窗外有藍天天地玄黃宇宙洪荒",
    "Japanese": "いろはにほへとちりぬるを色は匂へど散りぬるを",
    "Korean": "키스의 고유조건은 입술끼리 만나야 하고 ",
    "emoji": "🎭🦄🎸🎉🍕",
    "heaps of marks": "Z" + "\u0301\u0332\u0308\u0327\u030a\u0336" * 3,
}


def long_text(alphabet: str, length: int = 200) -> str:
    return (ALPHABETS[alphabet] * length)[:length].strip()


def outside_the_boxes(picture: Image.Image) -> Image.Image:
    """The front of the ticket without what may stand in its boxes: the margins, and between code and name."""
    millimetre = DPI / 25.4
    front = picture.crop((0, 0, int(104 * millimetre), int(147 * millimetre)))
    for box in ((8, 8, 98, 75), (8, 75, 98, 101.5), (4, 101, 49.5, 146), (50, 103, 98, 145)):
        front.paste(255, tuple(round(edge * millimetre) for edge in box))
    return front


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_200_letters_leave_their_box_nowhere_and_the_code_and_the_address_in_their_place(alphabet: str) -> None:
    pdf = rendered(ticket(title=long_text(alphabet), holder_name=long_text(alphabet)))
    picture = picture_of(pdf, dpi=DPI)
    assert outside_the_boxes(picture).getextrema() == (255, 255)
    (found,) = zxingcpp.read_barcodes(picture)
    assert found.text == sign_ticket(code="K7QM2XWD", show_id=42)
    assert abs(found.position.top_left.x - (5 + 4 * 44 / 45) / 25.4 * DPI) < 4
    assert abs(found.position.top_left.y - (101.5 + 4 * 44 / 45) / 25.4 * DPI) < 4
    assert lowest_of(pdf, "Ufer 1, Berlin") < 74
    assert "Row C Seat 12" in text_of(pdf)


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_200_letters_of_title_and_subtitle_together_leave_the_address_whole(alphabet: str) -> None:
    text = long_text(alphabet)
    pdf = rendered(ticket(title=text, subtitle=text, holder_name=text))
    assert lowest_of(pdf, "Ufer 1, Berlin") < 74
    assert outside_the_boxes(picture_of(pdf, dpi=DPI)).getextrema() == (255, 255)


@pytest.mark.parametrize("alphabet", [name for name in ALPHABETS if name != "heaps of marks"])
@pytest.mark.parametrize("length", [9, 45, 130])
def test_a_title_of_any_length_is_printed_to_its_end(alphabet: str, length: int) -> None:
    """Without its last letters the picture would be the same as with others in their place."""
    title = long_text(alphabet, length)
    other = title[:-1] + ("Q" if title[-1] != "Q" else "W")
    first, second = (picture_of(rendered(ticket(title=text)), dpi=72) for text in (title, other))
    assert ImageChops.difference(first, second).getbbox()


def lowest_of(pdf: bytes, words: str) -> float:
    """How far the lowest edge of these words is from the upper edge of the page, in millimetres."""
    document = pypdfium2.PdfDocument(pdf)
    page = document[0]
    characters = page.get_textpage()
    start, length = characters.search(words).get_next()
    lowest = min(characters.get_charbox(index)[1] for index in range(start, start + length))
    document.close()
    return float((297 * MM - lowest) / MM)
