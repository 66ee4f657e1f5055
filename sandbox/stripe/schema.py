"""What a parameter may be. Each kind of field reads the text that came and raises the error that Stripe documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from sandbox.stripe.currencies import CURRENCIES
from sandbox.stripe.errors import invalid


class Field(Protocol):
    """Reads a value of the form, at ``path``, into what the endpoint works with."""

    def read(self, value: Any, path: str) -> Any: ...


@dataclass(frozen=True)
class Text:
    """A string, of one of ``choices`` when there are any."""

    most: int = 5000
    choices: tuple[str, ...] = ()

    def read(self, value: Any, path: str) -> str:
        if not isinstance(value, str):
            raise invalid("Invalid string: an object was given", param=path)
        if not value:
            raise invalid(
                f"You passed an empty string for '{path}'. We assume empty values are an attempt to unset a parameter; "
                f"however '{path}' cannot be unset. You should remove '{path}' from your request or supply a "
                "non-empty value.",
                param=path,
                code="parameter_invalid_empty",
            )
        if len(value) > self.most:
            shown = f"{value[:20]}…{value[-20:]}"
            raise invalid(f"Invalid string: {shown}; must be at most {self.most} characters", param=path)
        if self.choices and value not in self.choices:
            raise invalid(f"Invalid {path}: must be one of {_listed(self.choices)}", param=path)
        return value


@dataclass(frozen=True)
class Address(Text):
    """An absolute http or https URL."""

    def read(self, value: Any, path: str) -> str:
        text = super().read(value, path)
        parts = urlsplit(text)
        if parts.scheme not in {"http", "https"} or not parts.hostname or re.search(r"\s", text):
            raise invalid("Not a valid URL", param=path, code="url_invalid")
        return text


@dataclass(frozen=True)
class Email(Text):
    """An e-mail address."""

    def read(self, value: Any, path: str) -> str:
        text = super().read(value, path)
        if not re.fullmatch(r"[^@\s]+@[^@\s.]+(\.[^@\s.]+)+", text):
            raise invalid(f"Invalid email address: {text}", param=path, code="email_invalid")
        return text


@dataclass(frozen=True)
class Whole:
    """An integer between two bounds, both included."""

    low: int | None = None
    high: int | None = None

    def read(self, value: Any, path: str) -> int:
        if not isinstance(value, str) or not re.fullmatch(r"[-+]?[0-9]{1,18}", value):
            raise invalid(f"Invalid integer: {value}", param=path, code="parameter_invalid_integer")
        number = int(value)
        for bound, wrong, words in (
            (self.low, self.low is not None and number < self.low, "greater than or equal to"),
            (self.high, self.high is not None and number > self.high, "less than or equal to"),
        ):
            if wrong:
                raise invalid(
                    f"This value must be {words} {bound} (it currently is '{number}').",
                    param=path,
                    code="parameter_invalid_integer",
                )
        return number


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def read(self, value: Any, path: str) -> bool:
        if value not in ("true", "false"):
            raise invalid(f"Invalid boolean: {value}", param=path)
        return bool(value == "true")


@dataclass(frozen=True)
class Currency:
    """A three-letter code in lower case of a currency that Stripe supports."""

    def read(self, value: Any, path: str) -> str:
        code = Text().read(value, path)
        if code not in CURRENCIES:
            raise invalid(
                f"Invalid currency: {code}. Stripe currently supports these currencies: {', '.join(CURRENCIES)}",
                param=path,
            )
        return code


@dataclass(frozen=True)
class Many:
    """A list."""

    of: Field
    most: int

    def read(self, value: Any, path: str) -> list[Any]:
        if not isinstance(value, dict) or not all(key.isdecimal() for key in value):
            raise invalid("Invalid array", param=path)
        if len(value) > self.most:
            raise invalid(f"Array must have at most {self.most} elements, but has {len(value)}", param=path)
        return [self.of.read(value[key], f"{path}[{key}]") for key in sorted(value, key=int)]


@dataclass(frozen=True)
class Group:
    """An object with these fields and no others."""

    fields: Mapping[str, Field]
    required: tuple[str, ...] = ()

    def read(self, value: Any, path: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise invalid("Invalid object", param=path)

        def named(name: str) -> str:
            return f"{path}[{name}]" if path else name

        unknown = [named(name) for name in value if name not in self.fields]
        if unknown:
            plural = "s" if len(unknown) > 1 else ""
            raise invalid(
                f"Received unknown parameter{plural}: {', '.join(unknown)}", param=unknown[0], code="parameter_unknown"
            )
        for name in self.required:
            if name not in value:
                raise invalid(f"Missing required param: {named(name)}.", param=named(name), code="parameter_missing")
        return {name: self.fields[name].read(given, named(name)) for name, given in value.items()}


@dataclass(frozen=True)
class Metadata:
    """Up to 50 pairs, names up to 40 characters, values up to 500 (Stripe API reference, "Metadata")."""

    def read(self, value: Any, path: str) -> dict[str, str]:
        if value == "":
            return {}
        if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
            raise invalid(f"Invalid {path}: must be an object of strings", param=path)
        if len(value) > 50:
            raise invalid(f"Metadata can have up to 50 keys, but you passed {len(value)}.", param=path)
        for name, text in value.items():
            if len(name) > 40:
                raise invalid(
                    f"Metadata keys can have up to 40 characters, but you passed in a key that is {len(name)} "
                    f"characters. Invalid key: {name}",
                    param=path,
                )
            if len(text) > 500:
                raise invalid(
                    f"Metadata values can have up to 500 characters, but you passed in a value that is {len(text)} "
                    f"characters. Invalid value: {text}",
                    param=f"{path}[{name}]",
                )
        return {name: text for name, text in value.items() if text}  # an empty value unsets its key


@dataclass(frozen=True)
class Span:
    """An instant, or an object of bounds."""

    bounds: Group = field(default_factory=lambda: Group({name: Whole(0) for name in ("gt", "gte", "lt", "lte")}))

    def read(self, value: Any, path: str) -> dict[str, int]:
        if isinstance(value, str):
            instant = Whole(0).read(value, path)
            return {"gte": instant, "lte": instant}
        return self.bounds.read(value, path)


def _listed(choices: tuple[str, ...]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])}, or {choices[-1]}"
