"""What a process knows of the seats of the shows that fans look at just now.

Guarantees: a show's seats are read at most once in REMEMBERED_SECONDS, however many ask and in however many threads;
what is told is at most that old when it is told; memory is bounded, over shows too. A tag is a digest of the states
themselves, so a fan may go on with any process: one that remembers the states of that tag sends the difference, another
one sends all.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from threading import Lock
from typing import Any

from django.utils.translation import get_language

from boxoffice.storefront.packed import PackedJson
from inventory.sale import why_not_on_sale
from inventory.seat_states import BLOCKED, FREE, HELD, SOLD, SeatStates, states_of_show

# Fans ask every two seconds or less: with this they see what others did within three.
REMEMBERED_SECONDS = 1.0
# Shows that a process follows at once, and for each the states that its fans may still have: at one a second, more than
# a minute's. Twelve thousand seats are twelve kilobytes.
SHOWS = 40
STATES_PER_SHOW = 64


class Board:
    """The states of one show at one moment. ``tag`` is None while the show does not sell.

    earlier: states that fans may have, by their tags.
    """

    def __init__(self, read: SeatStates, *, earlier: Mapping[str, str]) -> None:
        self.show_id = read.show_id
        self.as_of: datetime = read.as_of
        self.states = read.states or ""
        self.tag = None if read.states is None else tag_of(read.states)
        self._earlier = earlier
        self._answers: dict[str, PackedJson] = {}
        self._why_closed: dict[str | None, str] = {}

    def why_closed(self) -> str:
        """Why the show does not sell, in the active language: looked up once for each."""
        language = get_language()
        if (words := self._why_closed.get(language)) is None:
            words = self._why_closed[language] = str(why_not_on_sale(show_id=self.show_id))
        return words

    def since(self, tag: str) -> PackedJson:
        """The difference to the states of this tag, or all of them where it is not known or that is shorter.

        Written once for each tag: two threads may both do so, to the same effect.
        """
        tag = tag if tag in self._earlier else ""
        if (answer := self._answers.get(tag)) is None:
            answer = self._answers[tag] = self._all() if not tag else self._difference(tag)
        return answer

    def _all(self) -> PackedJson:
        return PackedJson({**self._head(), "all": self.states}, level=6)

    def _difference(self, tag: str) -> PackedJson:
        changes = changes_between(self._earlier[tag], self.states)
        if sum(map(len, changes.values())) > len(self.states) // 6:
            return self.since("")
        return PackedJson({**self._head(), "since": tag, "changes": changes}, level=6)

    def _head(self) -> dict[str, Any]:
        return {"tag": self.tag, "as_of": self.as_of.isoformat()}


class _Watch:
    """The boards of one show, one after the other."""

    def __init__(self, slug: str) -> None:
        self._slug = slug
        self._lock = Lock()
        self._read_at = -REMEMBERED_SECONDS
        self._board: Board | None = None
        self._states: OrderedDict[str, str] = OrderedDict()

    def board(self) -> Board | None:
        """The newest one, read now if the last one is too old. Whoever comes meanwhile waits for it."""
        with self._lock:
            now = time.monotonic()
            if now - self._read_at >= REMEMBERED_SECONDS:
                self._board = self._read()
                self._read_at = now
            return self._board

    def _read(self) -> Board | None:
        read = states_of_show(slug=self._slug)
        if read is None:
            return None
        # The board gets what is remembered at this moment, so that it can be read without a lock.
        board = Board(read, earlier=dict(self._states))
        if board.tag is not None:
            self._states[board.tag] = board.states
            self._states.move_to_end(board.tag)
            while len(self._states) > STATES_PER_SHOW:
                self._states.popitem(last=False)
        return board


_watches: OrderedDict[str, _Watch] = OrderedDict()
_watches_lock = Lock()


def board_of(slug: str) -> Board | None:
    """The states of the show with this address, at most REMEMBERED_SECONDS old; None where there is no such show."""
    with _watches_lock:
        watch = _watches.get(slug) or _Watch(slug)
        _watches[slug] = watch
        _watches.move_to_end(slug)
        while len(_watches) > SHOWS:
            _watches.popitem(last=False)
    board = watch.board()
    if board is None:
        # Addresses that somebody makes up must not crowd out the shows.
        with _watches_lock:
            _watches.pop(slug, None)
    return board


def forget() -> None:
    """Read anew at the next question, and remember nothing."""
    with _watches_lock:
        _watches.clear()


def tag_of(states: str) -> str:
    """A name for these states that is the same in every process."""
    return blake2b(states.encode(), digest_size=9).hexdigest()


def changes_between(before: str, after: str) -> dict[str, list[int]]:
    """The indexes of the seats that differ, by the letter that they have now."""
    changes: dict[str, list[int]] = {letter: [] for letter in (FREE, HELD, SOLD, BLOCKED)}
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        if old != new:
            changes[new].append(index)
    return changes
