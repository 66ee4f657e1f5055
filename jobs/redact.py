"""Keeping what fans typed, and what nobody may know, out of logs, error texts, Sentry, and staff's pages.

PostgreSQL quotes the whole row in the DETAIL of a violated constraint, and the offending statement's context may
follow; both reach every traceback. What a page shows of a job is looked through once more: arguments by the names of
their keys and by what their values look like, texts by the latter alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

# A value may hold line breaks, so that a row ends where something begins that PostgreSQL or Python writes after it. In
# the traceback of a group of exceptions each line begins with a bar.
_QUOTED_ROW = re.compile(
    r"^([ \t|]*)(DETAIL|CONTEXT):.*?(?=\n[ \t|]*(?:DETAIL|HINT|QUERY|CONTEXT|Traceback \(most recent call last\)):"
    r"|\n[ \t|]*\n[ \t|]*(?:The above exception was|During handling of the above)|\n[ \t|]*\+-|\Z)",
    re.MULTILINE | re.DOTALL,
)
# Where another error quotes the first one by its repr, a line break is two characters.
_QUOTED_ROW_IN_REPR = re.compile(r"(?<=\\n)(DETAIL|CONTEXT):.*$", re.MULTILINE)


def without_rows(text: str) -> str:
    """The text of an error without the rows that PostgreSQL quotes in it."""
    return _QUOTED_ROW_IN_REPR.sub(r"\1: left out", _QUOTED_ROW.sub(r"\1\2: left out", text))


def redact_log(logger: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A structlog processor, after the one that renders exceptions: no quoted row in any text."""
    return {name: _redacted(value) for name, value in event.items()}


def redact_report(report: Any, hint: dict[str, Any]) -> Any:
    """Sentry's ``before_send``: the report without quoted rows in any of its texts."""
    return _redacted(report)


# A key is hidden when one of the words that its name is made of is one of these: "holder", "mail_to".
_SECRET_WORD = re.compile(
    r"auth|authorization|bearer|card|cookies?|credentials?|csrf|cvc|cvv|iban|jwt|otp|pass|pin|pw|pwd|session|signature|"
    r"endpoint"
)
_PERSONAL_WORD = re.compile(
    r"attendee|bcc|buyer|cc|city|contact|dob|fax|forename|holder|mail|mobile|names?|plz|recipients?|sender|ssn|surname|"
    r"tel|to|zip|ip"
)
# Or when one of these is part of it, so that it need not be written in words: "emailaddress", "refreshtoken".
_SECRET_PART = re.compile(r"passw|passphrase|passcode|token|secret|apikey|privatekey|signingkey|creditcard|cardnumber")
_PERSONAL_PART = re.compile(
    r"address|birth|email|firstname|fullname|lastname|nickname|passport|phone|postalcode|postcode|street|username|zipcode"
)
_SECRET_PAIRS = frozenset({("api", "key"), ("private", "key"), ("access", "key"), ("secret", "key"), ("user", "agent")})
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+[a-z]*")

_NAMED = r"[\w-]{0,30}?(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key)"

# What gives itself away wherever it stands. Each is bounded or free of nested repetition, so that a hostile text costs
# no more than its length.
_TELLING = (
    (re.compile(r"-----BEGIN [A-Z ]{1,40}KEY-----.*?(?:-----END [A-Z ]{1,40}KEY-----|\Z)", re.DOTALL), "secret"),
    (re.compile(r"(?<=://)[^\s/@'\"]{0,200}:[^\s/'\"]{1,200}@"), "secret@"),
    (re.compile(r"[\w.+%-][\w.+%'-]{0,63}(?:@|%40)(?=[\w-]{1,63}\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"), "address"),
    (re.compile(r"\beyJ[\w-]{8,4000}\.[\w-]{4,8000}\.[\w-]{0,1000}"), "secret"),
    (re.compile(r"\b(?:sk|rk|pk|whsec|ghp|gho|xox[abp])[_-][\w-]{12,200}"), "secret"),
    (re.compile(r"(?i)\b(?<=bearer )[\w.~+/=-]{8,2000}"), "secret"),
    (re.compile(r"(?i)(?<=authorization: )(?!bearer )[^\s,'\"]{1,20} [^\s,'\"]{4,2000}"), "secret"),
    # "password=…" of an address or a connection, but not of a call in a line of code; and a key with its value.
    (re.compile(rf"(?i)(?<![\w-])({_NAMED}=)(?![\w.]{{1,80}}[,()\[])[^\s,;&)\]}}]{{1,200}}"), "named"),
    (re.compile(rf"(?i)(?<=['\"])({_NAMED}['\"]: ?)(?:'[^'\n]{{1,200}}'|\"[^\"\n]{{1,200}}\")"), "named"),
    (re.compile(r"(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![\w-])"), "number"),  # an IBAN
    # Random characters, as tokens are: long, with small and large letters and figures.
    (
        re.compile(r"(?<![\w/.-])(?=[\w-]{0,200}[a-z])(?=[\w-]{0,200}[A-Z])(?=[\w-]{0,200}\d)[\w-]{32,200}(?![\w.-])"),
        "secret",
    ),
    (re.compile(r"(?<![\w-])(?:\d[ -]?){12,18}\d(?![\w-])"), "number"),
    (re.compile(r"(?<![\w+])(?:\+|00)[1-9](?:[ ()/-]?\d){7,14}(?!\w)"), "number"),
    (re.compile(r"(?<![\w.:/-])\(?0[1-9]\d{1,4}\)?[ /-]\d[\d -]{3,10}\d(?![\w.:-])"), "number"),
)


def for_staff(value: Any) -> Any:
    """A job's arguments with secrets and personal data left out, for pages and terminals. Numbers that are ids stay."""
    if isinstance(value, dict):
        return {for_eyes(str(name)): _hidden(str(name), part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [for_staff(part) for part in value]
    return for_eyes(value) if isinstance(value, str) else value


def for_eyes(text: str) -> str:
    """A text with what gives itself away as an address, a number of a card or telephone, or a secret, left out."""
    text = without_rows(text)
    words = {
        "secret": _("[a secret]"),
        "secret@": _("[a secret]") + "@",
        "address": _("[an e-mail address]"),
        "number": _("[a number]"),
        "named": _("[a secret]"),
    }
    for pattern, kind in _TELLING:
        text = pattern.sub(lambda found, kind=kind: (found[1] if kind == "named" else "") + words[kind], text)  # type: ignore[misc]
    return text


def _hidden(name: str, value: Any) -> Any:
    """The value of a key, or what was left out of it."""
    words = [word.lower() for word in _WORD.findall(name)]
    kind = _kind_of(words)
    is_id = bool(words) and words[-1] in {"id", "ids"} and _are_numbers(value)
    if not kind or is_id or value is None or value == "" or isinstance(value, bool):
        return for_staff(value)
    return _("[a secret]") if kind == "secret" else _("[personal data]")


def _kind_of(words: list[str]) -> str:
    run_together = "".join(words)
    pairs = _SECRET_PAIRS.intersection(pairwise(words))
    if pairs or any(map(_SECRET_WORD.fullmatch, words)) or _SECRET_PART.search(run_together):
        return "secret"
    return "personal" if any(map(_PERSONAL_WORD.fullmatch, words)) or _PERSONAL_PART.search(run_together) else ""


def _are_numbers(value: Any) -> bool:
    parts: Iterable[Any] = value if isinstance(value, list) else [value]
    return all(isinstance(part, int) for part in parts)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return without_rows(value) if ":" in value else value
    if isinstance(value, dict):
        return {name: _redacted(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(part) for part in value]
    return value
