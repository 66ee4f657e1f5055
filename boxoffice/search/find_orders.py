"""One search for whatever a caller can tell of an order.

The kinds of terms come in one fixed order, and the first that finds anything answers:

1. a key as it is: order code, ticket code, id of a payment, refund or dispute (``by_code``);
2. a seat (``by_seat``);
3. the words of a name or address as they are, the last one perhaps unfinished (``by_words``);
4. codes one slip away, then names and addresses that are nearly so or sound so.

The last is asked for as well where few have the words of the third. Each step is a few looks into indexes, so a
million orders cost hardly more than a thousand; ``statements`` tells which.
"""

from __future__ import annotations

from boxoffice.search.by_code import begins_with_code, by_key, by_near_code
from boxoffice.search.by_seat import by_seat
from boxoffice.search.by_words import by_address, by_begun_address, by_near_words, by_words
from boxoffice.search.found import Found, first_of, together

MAX_LENGTH = 200
"""Characters of a search that count: longer than an address and a name."""

FEW = 10
"""Orders below which those that are nearly so are added: perhaps the right one was written in another way."""


def find_orders(*, text: str, by_person: bool = True) -> Found:
    """The orders that the text names, the nearest first, MOST_FOUND at most. Some ten short queries.

    by_person: names and addresses count, and what is nearly so. Otherwise only a whole address does, for somebody who
    may not see personal data: letter by letter, a search would tell what the page does not.
    """
    text = " ".join(text.replace("\x00", "").split())[:MAX_LENGTH]
    if not text:
        return Found()
    exact = first_of(lambda: by_key(text), lambda: by_seat(text))
    if exact.hits:
        return exact
    if not by_person:
        return first_of(lambda: by_address(text), lambda: begins_with_code(text), lambda: by_near_code(text))
    named = first_of(lambda: by_words(text), lambda: by_begun_address(text))
    if len(named.hits) >= FEW:
        return named
    codes = first_of(lambda: begins_with_code(text), lambda: by_near_code(text))
    return together(named, codes, by_near_words(text))
