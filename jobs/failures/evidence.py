"""What an exception carries that tells its class: its name, a status, a code, an answer's headers, another exception.

Each library keeps these in another place; here is where. Reading never raises, whatever the exception is made of: a
failure that cannot be read is still a failure of the job, and not one of the ledger.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from jobs.failures.table import WRAPPERS

DEEPEST_LAYER = 10
"""More wrappers than any chain of libraries has, and an end to one that goes in a circle."""


def names(error: BaseException) -> Iterator[str]:
    """The dotted names of the exception's classes, nearest first, without private modules."""
    for ancestor in type(error).__mro__:
        parts = f"{ancestor.__module__}.{ancestor.__qualname__}".split(".")
        yield ".".join(part for part in parts if not part.startswith("_"))


def library(error: BaseException) -> set[str]:
    """The packages that the exception's classes come from."""
    return {name.partition(".")[0] for name in names(error)}


def layers(error: BaseException) -> list[BaseException]:
    """The exception and, while it is a known wrapper, what it wraps; outermost first."""
    found = [error]
    while len(found) < DEEPEST_LAYER:
        inner = _wrapped(found[-1])
        if inner is None:
            break
        found.append(inner)
    return found


def http_status(error: BaseException) -> int | None:
    """The status of the answer: requests and those who use it, botocore, stripe, urllib."""
    response = read(error, "response")
    statuses = (
        read(response, "status_code"),
        read(response, "ResponseMetadata", "HTTPStatusCode"),
        read(error, "http_status"),
        read(error, "status"),
    )
    return next((status for status in statuses if isinstance(status, int) and 100 <= status <= 599), None)


def http_headers(error: BaseException) -> dict[str, str]:
    """The headers of the answer, by names in small letters."""
    response = read(error, "response")
    for headers in (
        read(response, "headers"),
        read(response, "ResponseMetadata", "HTTPHeaders"),
        read(error, "headers"),
    ):
        if headers:
            with contextlib.suppress(Exception):  # no headers after all
                return {str(name).lower(): str(value) for name, value in headers.items()}
    return {}


def provider_code(error: BaseException) -> str | None:
    """The provider's own code for what went wrong: botocore, stripe."""
    for code in (read(error, "response", "Error", "Code"), read(error, "json_body", "error", "code")):
        if isinstance(code, str):
            return code
    return None


def smtp_codes(error: BaseException) -> list[int]:
    """The server's codes: one, or one for each refused recipient."""
    refused = read(error, "recipients")
    replies = list(refused.values()) if isinstance(refused, dict) else []
    codes = [reply[0] for reply in replies if isinstance(reply, tuple) and reply] or [read(error, "smtp_code")]
    return [code for code in codes if isinstance(code, int)]


def sqlstate(error: BaseException) -> str | None:
    """PostgreSQL's code, of five characters."""
    state = read(error, "sqlstate")
    return state if isinstance(state, str) else None


def read(thing: Any, *path: str) -> Any:
    """Follow attributes, and keys of dictionaries; None where the path ends."""
    for name in path:
        try:
            thing = thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)
        except Exception:
            return None
    return thing


def _wrapped(error: BaseException) -> BaseException | None:
    if WRAPPERS.isdisjoint(names(error)):
        return None
    arguments = read(error, "args")
    candidates = (
        read(error, "__cause__"),  # Django, stripe, kombu
        read(error, "reason"),  # urllib, urllib3's MaxRetryError
        read(error, "kwargs", "error"),  # botocore
        *(reversed(arguments) if isinstance(arguments, tuple) else ()),  # requests, urllib3
    )
    return next((inner for inner in candidates if isinstance(inner, BaseException)), None)
