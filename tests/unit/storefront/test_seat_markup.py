"""The markup of seats is put together by hand, so it must escape by hand."""

from __future__ import annotations

import re
from dataclasses import replace

from boxoffice.storefront.seat_plan import Row, SeatMark, TierMark
from boxoffice.templatetags.storefront import seat_boxes
from inventory.money import Money

EVIL = '"><script>alert(1)</script>&'


FRONT = TierMark(id=71, name="Front", letter="A", color=1, money=Money(0, "EUR"), free=1)
BACK = replace(FRONT, id=72, name="Back", letter="B", color=2)


def mark(number: int, state: str = "free", *, tier: TierMark = FRONT, name: str = "") -> SeatMark:
    return SeatMark(id=number, number=name or str(number), label=f"row A, seat {name}", state=state, tier=tier)


def test_names_from_a_plan_cannot_leave_their_text() -> None:
    tier = replace(FRONT, name=EVIL, wheelchair=True)
    markup = seat_boxes(Row(name=EVIL, seats=[mark(1, name=EVIL, tier=tier)]))
    assert "<script" not in markup
    assert re.findall("<([a-z]+)", markup) == ["li", "label", "input", "span", "i", "span"]
    assert markup.count("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;") == 2


def test_a_free_seat_can_be_chosen_a_chosen_one_is_and_others_say_why_not() -> None:
    states = ("free", "chosen", "held", "own", "sold", "blocked")
    boxes = seat_boxes(Row(name="A", seats=[mark(n, state) for n, state in enumerate(states)])).splitlines()
    assert ["disabled" in box for box in boxes] == [False, False, True, True, True, True]
    assert [" checked>" in box or " checked " in box for box in boxes] == [False, True, False, False, False, False]
    assert [re.findall('"unseen"> ([^<]+)<', box) for box in boxes[2:]] == [
        ["held by others"],
        ["held by you"],
        ["sold"],
        ["not for sale"],
    ]


def test_a_row_of_several_tiers_tells_each_seats_letter() -> None:
    assert '<i aria-hidden="true">' not in seat_boxes(Row(name="A", seats=[mark(1), mark(2)]))
    markup = seat_boxes(Row(name="A", seats=[mark(1), mark(2, tier=BACK)]))
    assert re.findall('<i aria-hidden="true">(.)</i>', markup) == ["A", "B"]


def test_a_place_for_a_wheelchair_is_told_by_its_sign_and_in_words() -> None:
    markup = seat_boxes(Row(name="A", seats=[mark(1, tier=replace(BACK, name="Wheelchair place", wheelchair=True))]))
    assert '<span><i aria-hidden="true">♿</i>1<span class="unseen"> Wheelchair place</span></span>' in markup
