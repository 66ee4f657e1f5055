"""Texts as the ticket's page takes them: cleaned, with the size, direction and language that they are set in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.utils.safestring import SafeString, mark_safe

from tickets.direction import direction_of
from tickets.east_asian import east_asian_language
from tickets.printable import printable
from tickets.text_width import width_of

SMALLEST = "xs"


@dataclass(frozen=True)
class Text:
    """A text, and how it is set: a size of the style sheet, ``ltr`` or ``rtl``, the tag of an East Asian language."""

    text: str
    size: str = ""
    direction: str = "ltr"
    language: str = ""

    @property
    def attributes(self) -> SafeString:
        """The attributes of its element. They are words of ours; only the text itself comes from outside."""
        classes = " ".join(filter(None, (self.size, "eastasian" if self.language else "")))
        given = {
            "class": classes,
            "lang": self.language,
            "dir": self.direction if self.direction == "rtl" else "",
        }
        return mark_safe("".join(f' {name}="{value}"' for name, value in given.items() if value))  # noqa: S308


@dataclass(frozen=True)
class Block:
    """Lines in one box. Plain ones that follow each other are one text, which is cheaper to lay out than several."""

    size: str
    lines: tuple[Text, ...]

    @property
    def text(self) -> str:
        """All its lines."""
        return "\n".join(line.text for line in self.lines)


def text_of(text: str, *, size: str = "", expected: str = "") -> Text:
    """The text as it may be printed. expected: the East Asian language of those who read it, if that is known."""
    clean = printable(text)
    return Text(clean, size, direction_of(clean), east_asian_language(clean, expected=expected))


def fitted(text: str, sizes: Sequence[tuple[float, str]], *, last: str = SMALLEST, expected: str = "") -> Text:
    """The text with the size that its width allows."""
    found = text_of(text, expected=expected)
    return replace(found, size=size_for(width_of(found.text), sizes, last=last))


def size_for(width: float, sizes: Sequence[tuple[float, str]], *, last: str = SMALLEST) -> str:
    """The first size that holds ``width``, in em; else the ``last`` one."""
    return next((size for limit, size in sizes if width <= limit), last)


def block_of(lines: Iterable[Text], *, size: str) -> Block:
    """The lines that say something, each with its own direction and language."""
    joined: list[Text] = []
    for attributes, group in groupby(filter(lambda line: line.text, lines), key=lambda line: line.attributes):
        found = list(group)
        joined.extend(found if attributes else [Text("\n".join(line.text for line in found))])
    return Block(size=size, lines=tuple(joined))
