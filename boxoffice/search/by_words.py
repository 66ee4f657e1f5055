"""Orders by the words of a name or a mail address: as they are, unfinished, with a slip, or as they sound.

The words of the orders stand in an index (``OrderWord``). A misspelt word is not compared with them: all that it could
have been is looked up there instead (``neighbours``), and only what some order has goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from boxoffice.search.found import MOST_FOUND, By, Found, Hit
from boxoffice.search.neighbours import alphabet_of, neighbours
from boxoffice.search.statements import FOLD, KNOWN_WORDS, SOUNDS, WORDS_THAT_BEGIN, find_by_words, rows_of

MOST_TERMS = 5
"""Words of a search that count. A name has three."""

SHORTEST_BEGINNING = 3
SHORTEST_WITH_SLIP = 3
"""Characters of Latin words: shorter ones are the beginning of anything, and one slip away from it."""

MOST_BEGINNINGS = 20
"""Words that begin as an unfinished one does are looked for. More letters find more."""

NEWEST = 20_000
"""Orders of each word that are looked at where several words must meet."""

COMMON = 5_000
"""Orders from which on a word counts as common, and is counted no further."""

MOST_ORDERS = 40_000
"""Orders of one term's words in all, the nearest words first."""

# How far a word is from what was typed. They add up over the terms.
UNFINISHED, SLIP, SOUND = 1, 2, 3

_ADDRESS_BEGUN = re.compile(r"^\S+[._+]\S+$")

_AFTER_NAMES = "._-+0123456789@"


@dataclass(frozen=True)
class _Typed:
    """terms: words as orders have them; a mail address or its beginning, with the @, is one word."""

    terms: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> _Typed:
        addresses: list[str] = []
        names: list[str] = []
        for word in text.split():
            (addresses if "@" in word.strip("@") else names).append(word.strip("<>(),;\"'"))
        words = rows_of(FOLD, text=" ".join(names))[0][0] if names else []
        terms = [*filter(None, words), *(address.lower() for address in addresses)]
        return cls(tuple(dict.fromkeys(terms))[:MOST_TERMS])


def by_address(text: str) -> Found:
    """Orders of just this mail address; none for what is not one. One or two queries."""
    address = _as_address(text)
    return _find([{address: 0}]) if "@" in address else Found()


def by_begun_address(text: str) -> Found:
    """Orders whose mail address begins so, where that cannot be a name: "ada.lo". Three queries at most."""
    begun = _as_address(text)
    return _find([dict.fromkeys(_begun(begun), UNFINISHED)]) if _ADDRESS_BEGUN.search(begun) else Found()


def _as_address(text: str) -> str:
    return text.strip("<>(),;\"'").lower()


def by_words(text: str) -> Found:
    """Orders that have all the words, the last one perhaps unfinished. Four queries."""
    typed = _Typed.read(text)
    wanted: list[dict[str, int]] = [{term: 0} for term in typed.terms]
    if wanted:
        wanted[-1] |= dict.fromkeys(_begun(typed.terms[-1]), UNFINISHED) | wanted[-1]
    return _find(wanted)


def by_near_words(text: str) -> Found:
    """Orders that have all the words or such as are one slip away, or sound alike. Some queries for each word.

    Of an address that nobody has, the words before the @ are looked for as well.
    """
    typed = _Typed.read(text)
    sounds = dict(rows_of(SOUNDS, words=list(typed.terms)))
    found = _find([_alternatives(term, sounds.get(term)) for term in typed.terms])
    return found if found.hits or "@" not in text else by_near_words(re.sub(r"@\S*", "", text))


def _alternatives(term: str, sound: str | None) -> dict[str, int]:
    """The words that may be meant, and how far each is."""
    if "@" in term:
        alphabet, before_the_host = alphabet_of(term) + _AFTER_NAMES, term.partition("@")[0] + "@"
        far = dict.fromkeys(_begun(before_the_host), SOUND)
    else:
        alphabet, far = alphabet_of(term), ({sound: SOUND} if sound else {})
    slips = neighbours(term, alphabet=alphabet) if len(term) >= SHORTEST_WITH_SLIP and not term.isdecimal() else ()
    begun = dict.fromkeys(_begun(term), UNFINISHED)
    return far | dict.fromkeys(slips, SLIP) | begun | {term: 0}


def _begun(term: str) -> Iterable[str]:
    """The words that orders have and that begin so."""
    if len(term) < SHORTEST_BEGINNING and term.isascii():
        return ()
    return [word for (word,) in rows_of(WORDS_THAT_BEGIN, beginning=term, most=MOST_BEGINNINGS)]


def _find(wanted: Sequence[Mapping[str, int]]) -> Found:
    """Orders that have a word of each term. Two queries, or one where there is no such order."""
    every = {word for words in wanted for word in words}
    known: Mapping[str, int] = dict(rows_of(KNOWN_WORDS, words=list(every), enough=COMMON)) if every else {}
    chosen = [_affordable(words, known) for words in wanted]
    if not chosen or not all(chosen):
        return Found()
    rows = [(term, word, away) for term, words in enumerate(chosen) for word, away in words.items()]
    alone = len(chosen) == 1
    found = rows_of(
        find_by_words(terms=len(chosen)),
        terms=[term for term, _, _ in rows],
        words=[word for _, word, _ in rows],
        aways=[away for _, _, away in rows],
        newest=MOST_FOUND if alone else NEWEST,
        most=MOST_FOUND,
    )
    hits = tuple(Hit(order_id=order_id, by=By.NAME, is_near=away > UNFINISHED) for order_id, away in found)
    return Found(hits, frozenset(word for words in chosen for word in words))


def _affordable(words: Mapping[str, int], known: Mapping[str, int]) -> dict[str, int]:
    """Those that some order has, the nearest first, until they have MOST_ORDERS in all."""
    chosen: dict[str, int] = {}
    orders = 0
    for word, away in sorted(words.items(), key=lambda pair: (pair[1], pair[0])):
        if word in known and (not chosen or orders < MOST_ORDERS):
            chosen[word] = away
            orders += NEWEST if known[word] >= COMMON else known[word]
    return chosen
