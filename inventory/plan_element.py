"""An element of a plan file that knows its path, and refuses what is missing or of the wrong kind by that path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from django.utils.translation import gettext as _

from inventory.errors import PlanRefused

# Coordinates are pixels or centimetres; a hall is never ten kilometres wide.
MAX_COORDINATE = 1_000_000


@dataclass(frozen=True)
class Element:
    """An object of the file with its path, such as `zones[0].rows[3]`. All methods raise PlanRefused."""

    value: dict[str, Any]
    path: str

    @classmethod
    def of(cls, value: object, path: str) -> Element:
        """The element for a value that must be an object."""
        if not isinstance(value, dict):
            raise PlanRefused(path=path, problem=_("Here must be an object with keys."))
        return cls(value, path)

    def at(self, key: str) -> str:
        """The path to one of the element's keys."""
        return f"{self.path}.{key}" if self.path else key

    def object(self, key: str) -> Element:
        """The object under this key."""
        return Element.of(self._get(key), self.at(key))

    def objects(self, key: str) -> Iterator[Element]:
        """The objects in the list under this key."""
        items = self._get(key)
        if not isinstance(items, list):
            raise PlanRefused(path=self.at(key), problem=_("Here must be a list."))
        path = self.at(key)
        for index, item in enumerate(items):
            yield Element.of(item, f"{path}[{index}]")

    def text(self, key: str, *, longest: int, may_be_empty: bool = False) -> str:
        """The text under this key."""
        value = self._get(key)
        if not isinstance(value, str):
            raise PlanRefused(path=self.at(key), problem=_("Here must be a text in quotation marks."))
        if not value.strip() and not may_be_empty:
            raise PlanRefused(path=self.at(key), problem=_("This is empty."))
        if len(value) > longest:
            problem = _("This is longer than %(longest)d characters.") % {"longest": longest}
            raise PlanRefused(path=self.at(key), problem=problem)
        return value

    def number(self, key: str) -> float:
        """The number under this key, within MAX_COORDINATE."""
        value = self._get(key)
        # For Python, true and false are numbers.
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise PlanRefused(path=self.at(key), problem=_("Here must be a number."))
        if not -MAX_COORDINATE <= value <= MAX_COORDINATE:
            problem = _("This is beyond %(limit)d.") % {"limit": MAX_COORDINATE}
            raise PlanRefused(path=self.at(key), problem=problem)
        return float(value)

    def flag(self, key: str) -> bool:
        """Whether true stands under this key; what is missing is false."""
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            raise PlanRefused(path=self.at(key), problem=_("Here must be true or false, without quotation marks."))
        return value

    def require_position(self) -> None:
        """Passes when the element has a position with two numbers."""
        position = self.object("position")
        position.number("x")
        position.number("y")

    def _get(self, key: str) -> Any:
        if key not in self.value:
            raise PlanRefused(path=self.at(key), problem=_("This is missing."))
        return self.value[key]


def require_storable(value: object, path: str = "") -> None:
    """Passes when PostgreSQL can keep the value as JSON. Raises PlanRefused.

    It has no place for NUL characters, for halves of surrogate pairs, and for what is no finite number.
    """
    if isinstance(value, str):
        if "\x00" in value or (not value.isascii() and any("\ud800" <= mark <= "\udfff" for mark in value)):
            raise PlanRefused(path=path, problem=_("This text has a character that cannot be stored."))
    elif isinstance(value, dict):
        for key, item in value.items():
            require_storable(key, path)
            require_storable(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            require_storable(item, f"{path}[{index}]")
    elif isinstance(value, float) and not isfinite(value):
        raise PlanRefused(path=path, problem=_("This number is too large."))
