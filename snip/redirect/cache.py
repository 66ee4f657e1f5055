"""What is known of codes, in memory: bounded, and the oldest goes first.

Codes that nobody knows have a room of their own, so that whoever guesses codes pushes out other guesses only. A code
that is used is asked for again every few seconds and so becomes the newest: what goes first is what nobody uses.
"""

from __future__ import annotations

from snip.redirect.target import Leads, Target


class Cache:
    """At most ``known`` codes that lead or led somewhere, and ``unknown`` ones that do not."""

    def __init__(self, *, known: int, unknown: int) -> None:
        self._known: dict[str, Target] = {}
        self._unknown: dict[str, Target] = {}
        self._rooms = ((self._known, known), (self._unknown, unknown))

    def __len__(self) -> int:
        return len(self._known) + len(self._unknown)

    def get(self, code: str) -> Target | None:
        """What is known of ``code``, however old."""
        return self._known.get(code) or self._unknown.get(code)

    def known(self, code: str) -> Target | None:
        """What is known of ``code`` if it leads or led somewhere, however old."""
        return self._known.get(code)

    def put(self, code: str, target: Target) -> None:
        """Keep what is known of ``code``, in place of what was."""
        self._known.pop(code, None)
        self._unknown.pop(code, None)
        room, bound = self._rooms[target.leads is Leads.UNKNOWN]
        if len(room) >= bound:
            del room[next(iter(room))]
        room[code] = target
