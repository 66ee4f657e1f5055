"""Orders by a seat as people say it: "C12", "Stalls C 12", "row 7 seat 12", "Hamlet C12", or its whole label."""

from __future__ import annotations

import re
from typing import NamedTuple

from boxoffice.search.found import MOST_FOUND, By, Found, Hit
from boxoffice.search.statements import FIND_BY_SEAT, rows_of

SHOWS_LOOKED_AT = 2_000
"""The nearest to the present, in both directions: some years of a busy house."""

LIKENESS = 0.6
"""Of a word to the part of the house or the show's title, as pg_trgm reckons it: "Stals" has 0.67 of "Stalls"."""

_SAID = re.compile(r"\b(?:row|reihe|seats?|platz|place|nr|no)\b\.?|[,;/#]", re.IGNORECASE)
_TOGETHER = re.compile(r"([^\W\d_]{1,3})(\d{1,4}[a-z]?)", re.IGNORECASE)
_ROW = re.compile(r"[^\W_]{1,4}")
_NUMBER = re.compile(r"\d{1,4}[a-z]?", re.IGNORECASE)


class SaidSeat(NamedTuple):
    """Row and number in small letters with a space between, and the words that were said beside them."""

    place: str
    words: tuple[str, ...]


def by_seat(text: str) -> Found:
    """Who has or had the seat, of the show nearest to the present first. One query, or none where no seat is named."""
    seat = said_seat(text)
    if seat is None:
        return Found()
    rows = rows_of(
        FIND_BY_SEAT,
        places=[seat.place],
        words=list(seat.words),
        shows=SHOWS_LOOKED_AT,
        likeness=LIKENESS,
        most=MOST_FOUND,
    )
    hits: dict[int, Hit] = {}
    for order_id, _by, seat_id in rows:
        hits.setdefault(order_id, Hit(order_id=order_id, by=By.SEAT, what=seat_id))
    return Found(tuple(hits.values()))


def said_seat(text: str) -> SaidSeat | None:
    """The seat in the text, the last one if it could be several; None where there is none. Pure."""
    words = _SAID.sub(" ", text).lower().split()
    for nth in range(len(words) - 1, -1, -1):
        if together := _TOGETHER.fullmatch(words[nth]):
            return SaidSeat(f"{together[1]} {together[2]}", tuple(words[:nth] + words[nth + 1 :]))
        if nth and _NUMBER.fullmatch(words[nth]) and _ROW.fullmatch(words[nth - 1]):
            return SaidSeat(f"{words[nth - 1]} {words[nth]}", tuple(words[: nth - 1] + words[nth + 1 :]))
    return None
