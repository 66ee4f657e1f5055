"""Finding shows: by words that may be misspelt, by day, place and price, and by whether seats are left.

Reads the counts of the read model (``models/availability.py``) and says how old they are; the page of one show reads
the seats themselves (``selectors.py``). Ten thousand shows are searched in some tens of milliseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import (
    BooleanField,
    Count,
    DateField,
    DateTimeField,
    Expression,
    F,
    FloatField,
    Func,
    Min,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    Window,
)
from django.db.models.functions import Cast, Least

from inventory.models import SeatChange, Show
from inventory.money import Money
from inventory.selectors import Offer, offers_as_counted, with_counts
from jobs.clock import DatabaseNow

MAX_LENGTH = 100
"""Characters of a search: longer than any title that is remembered."""

MAX_MISSPELT_WORDS = 8
"""Of a search are compared by their spelling, each a look into the index; further words are left out then."""

PAGE = 50
"""Shows on one page: more than most houses announce."""

LAST_PAGE = 10_000
"""Beyond what any programme has."""

# How much a word and a name must have in common, as pg_trgm reckons it. "Nihgtbirds" has 0.47 of "Nightbirds",
# "Lnatern" 0.37 of "Lantern". Short words have few trigrams, and would find anything: "jazz" has 0.4 of "jar".
LIKENESS = 0.35
LIKENESS_OF_SHORT_WORDS = 0.5
LONG_WORD = 6
SET_LIKENESS = "SELECT set_config('pg_trgm.word_similarity_threshold', %(likeness)s, true)"

# Shorter words have too few trigrams to be misspelt recognisably. One Latin letter is in every title; one Chinese
# character is a word.
SHORTEST_MISSPELT = 4
SHORTEST_PART = 3

ANNOUNCED = (Show.Status.SCHEDULED, Show.Status.POSTPONED, Show.Status.CANCELLED)


@dataclass(frozen=True)
class Wanted:
    """What is looked for; empty parts do not matter.

    words: at most MAX_LENGTH characters; search engines' syntax ("a phrase", or, -not). Days are those of each venue.
    venue: a slug. seats_left: what is on sale or will be, and has free seats. price_up_to: the cheapest free seat costs
    this at most; shows in another currency only where they are free of charge.
    """

    words: str = ""
    first_day: date | None = None
    last_day: date | None = None
    venue: str = ""
    city: str = ""
    seats_left: bool = False
    price_up_to: Money | None = None


@dataclass(frozen=True)
class Found:
    """One page of what was found, and of how many. misspelt: nothing has these words, these shows have similar ones.

    counted_at, counted_ago: all changes of seats that were committed before are in the counts. It is the present unless
    a change waits to be counted, of whatever show. None where nothing was found.
    """

    offers: list[Offer]
    total: int
    page: int
    misspelt: bool = False
    counted_at: datetime | None = None
    counted_ago: timedelta = timedelta(0)

    @property
    def pages(self) -> int:
        return max(-(-self.total // PAGE), 1)


class Place(NamedTuple):
    """A venue with shows to come, and a currency that they are sold in."""

    slug: str
    name: str
    city: str
    currency: str


def search_shows(*, wanted: Wanted, page: int = 1) -> Found:
    """The shows that are still to come and are as wanted: scheduled, postponed and cancelled ones.

    In the order of their start by the clocks on their walls; where words are given, the best match first. A page
    beyond the last one gives the first. Two queries; one more for such a page, and four more where words are taken for
    misspelt. Raises ValueError for words longer than MAX_LENGTH.
    """
    if len(wanted.words) > MAX_LENGTH:
        raise ValueError(f"At most {MAX_LENGTH} characters.")
    # A dash that stands alone joins words here ("Romeo - Juliet"), where PostgreSQL would leave out what follows it.
    words = " ".join(word for word in wanted.words.split() if word.strip("-"))
    shows = _as_wanted(replace(wanted, words=words))
    if not words:
        return _found(shows.order_by(_local_start(), "id"), page)
    found = _found(_with_words(shows, words), page)
    if found.total or not (misspelt := _words_to_compare(words)):
        return found
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(SET_LIKENESS, {"likeness": str(LIKENESS)})
        return replace(_found(_with_similar_words(shows, misspelt), page), misspelt=True)


def places_to_come() -> list[Place]:
    """Where there are shows to come, by city and name. One query."""
    places = _to_come().order_by("venue__city", "venue__name", "currency")
    rows = places.values_list("venue__slug", "venue__name", "venue__city", "currency").distinct()
    return [Place(*row) for row in rows]


def _to_come() -> QuerySet[Show]:
    return Show.objects.filter(status__in=ANNOUNCED, starts_at__gt=DatabaseNow())


def _as_wanted(wanted: Wanted) -> QuerySet[Any]:
    """By show_by_start. Counts and prices are looked up only where they are asked for."""
    shows: QuerySet[Any] = _to_come()
    if wanted.first_day or wanted.last_day:
        shows = shows.alias(day=Cast(_local_start(), DateField()))
    if wanted.first_day:
        shows = shows.filter(day__gte=wanted.first_day)
    if wanted.last_day:
        shows = shows.filter(day__lte=wanted.last_day)
    if wanted.venue:
        shows = shows.filter(venue__slug=wanted.venue)
    if wanted.city:
        shows = shows.filter(venue__city=wanted.city)
    if wanted.seats_left:
        shows = with_counts(shows).filter(status=Show.Status.SCHEDULED, seats_free__gt=0)
    if wanted.price_up_to is not None:
        limit = wanted.price_up_to
        affordable = Q(price_from=0) | Q(currency=limit.currency, price_from__lte=limit.amount)
        shows = with_counts(shows).filter(affordable)
    return shows


def _with_words(shows: QuerySet[Any], words: str) -> QuerySet[Any]:
    """Whole words anywhere, the last one perhaps unfinished; or the words as they are, within a name. By
    show_text_by_word and show_text_by_trigram."""
    meant = Q(_has_words(words))
    if len(words) >= SHORTEST_PART or not words.isascii():
        meant |= Q(_test("LIKE", F("text__names"), _once("inventory_pattern", words)))
    rank = Func(F("text__document"), _query(words), function="ts_rank", output_field=FloatField())
    return shows.filter(meant).order_by(rank.desc(), _local_start(), "id")


def _with_similar_words(shows: QuerySet[Any], words: list[str]) -> QuerySet[Any]:
    """Each word is in a name, perhaps with a slip; or in the description as it is. By the same indexes."""
    for word in words:
        meant = Q(_has_words(word))
        if len(word) >= SHORTEST_MISSPELT:
            alike = Q(_test("%%>", F("text__names"), _folded(word)))
            if len(word) < LONG_WORD:
                alike &= Q(_test(">=", _likeness(word), Value(LIKENESS_OF_SHORT_WORDS)))
            meant |= alike
        shows = shows.filter(meant)
    return shows.order_by(reduce(add, map(_likeness, words)).desc(), _local_start(), "id")


def _likeness(word: str) -> Func:
    return Func(_folded(word), F("text__names"), function="word_similarity", output_field=FloatField())


def _words_to_compare(words: str) -> list[str]:
    """The words one by one, or none where somebody knows what he wants: a phrase, or what not."""
    if '"' in words or any(word.startswith("-") for word in words.split()):
        return []
    return re.findall(r"\w+", words)[:MAX_MISSPELT_WORDS]


def _found(shows: QuerySet[Any], page: int) -> Found:
    """The page of these shows in their order, and how many there are in all."""
    page = page if 1 <= page <= LAST_PAGE else 1
    oldest = SeatChange.objects.order_by().values(nothing=Value(1)).values(oldest=Min("at"))
    counted_at = Least(Subquery(oldest), DatabaseNow())
    rows = list(
        shows.annotate(in_all=Window(Count("*")), counted_at=counted_at, now=DatabaseNow()).values_list(
            "pk", "in_all", "counted_at", "now"
        )[(page - 1) * PAGE : page * PAGE]
    )
    if not rows:
        return _found(shows, 1) if page > 1 else Found(offers=[], total=0, page=1)
    _pk, total, counted, now = rows[0]
    offers = offers_as_counted(show_ids=[pk for pk, *_ in rows])
    return Found(offers=offers, total=total, page=page, counted_at=counted, counted_ago=now - counted)


def _local_start() -> Expression:
    """The start by the clock on the venue's wall."""
    return Func(F("venue__time_zone"), F("starts_at"), function="timezone", output_field=DateTimeField())


def _has_words(words: str) -> Func:
    return _test("@@", F("text__document"), _query(words))


def _query(words: str) -> Func:
    return _once("inventory_query", words)


def _folded(word: str) -> Func:
    return _once("inventory_folded", word)


def _once(function: str, words: str) -> Func:
    """The function's value as a subquery of its own, or PostgreSQL would compute it anew for each show."""
    return Func(
        Value(words), function=function, template="(SELECT %(function)s(%(expressions)s))", output_field=TextField()
    )


def _test(operator: str, left: Any, right: Any) -> Func:
    """A condition with one of PostgreSQL's operators."""
    return Func(left, right, template="(%(expressions)s)", arg_joiner=f" {operator} ", output_field=BooleanField())
