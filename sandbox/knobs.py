"""What the mail server does wrong on purpose, kept in one small file that all its processes read."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import Field, asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

ALL = -1
LONGEST_LATENCY = 600_000  # ms
LONGEST_TEXT = 200
STAGES = ("recipient", "data")


class BadKnob(ValueError):
    """A knob was turned where it does not go; the message says how far it goes."""


@dataclass(frozen=True)
class Knobs:
    """How the mail server behaves; as made, it takes everything at once.

    latency_ms: before each answer to a mail. fail_next: how many mails to refuse, -1 for all. fail_code: with which
    answer, 400 to 599, and fail_text: in which words, the server's own when empty. fail_at: refused by recipient or
    after the data. lose_answers: how many mails to keep and break the connection without an answer, -1 for all.
    """

    latency_ms: int = 0
    fail_next: int = 0
    fail_code: int = 451
    fail_text: str = ""
    fail_at: str = "data"
    lose_answers: int = 0

    def turned(self, changes: Mapping[str, Any]) -> Knobs:
        """These knobs with some of them changed. Raises BadKnob."""
        unknown = set(changes) - set(asdict(self))
        if unknown:
            raise BadKnob(f"There is no knob {', '.join(sorted(unknown))}. There are {', '.join(asdict(self))}.")
        knobs = replace(self, **changes)
        for name, low, high in (
            ("latency_ms", 0, LONGEST_LATENCY),
            ("fail_next", ALL, 10**9),
            ("fail_code", 400, 599),
            ("lose_answers", ALL, 10**9),
        ):
            value = getattr(knobs, name)
            if type(value) is not int or not low <= value <= high:
                raise BadKnob(f"{name} is a whole number from {low} to {high}.")
        text = knobs.fail_text
        if not isinstance(text, str) or not text.isascii() or not text.isprintable() or len(text) > LONGEST_TEXT:
            raise BadKnob(f"fail_text is one line of up to {LONGEST_TEXT} ASCII characters.")
        if knobs.fail_at not in STAGES:
            raise BadKnob(f"fail_at is one of {', '.join(STAGES)}.")
        return knobs


class Turnable(Protocol):
    """A set of knobs: a frozen dataclass that checks what it is turned to."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def turned(self: Set, changes: Mapping[str, Any]) -> Set:
        """The same knobs with some of them changed. Raises BadKnob."""
        ...


Set = TypeVar("Set", bound=Turnable)


class KnobFile(Generic[Set]):
    """A set of knobs in ``folder``. Reading takes no lock; changes are made under one and replace the file whole."""

    def __init__(self, folder: Path, made: Set, *, name: str = "knobs.json") -> None:
        self.made = made
        self.path = folder / name

    def read(self) -> Set:
        """The knobs as they stand; as made when there is no file yet."""
        try:
            return self.made.turned(json.loads(self.path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return self.made

    def turn(self, changes: Mapping[str, Any]) -> Set:
        """Change some knobs and return how they stand now. Raises BadKnob."""
        with self._locked():
            knobs = self.read().turned(changes)
            self._write(knobs)
            return knobs

    def use_up(self, name: str) -> bool:
        """Take one from a counting knob. False when it stands at 0."""
        if getattr(self.read(), name) == 0:
            return False
        with self._locked():
            knobs = self.read()
            left = int(getattr(knobs, name))
            if left > 0:
                self._write(knobs.turned({name: left - 1}))
            return left != 0

    def _write(self, knobs: Set) -> None:
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(6)}")
        draft.write_text(json.dumps(asdict(knobs)), encoding="utf-8")
        os.replace(draft, self.path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def smtp_knobs(folder: Path) -> KnobFile[Knobs]:
    """Those of the mail server."""
    return KnobFile(folder, Knobs())
