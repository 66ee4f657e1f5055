"""The answers of the redirect, each made once and sent many times. None of them may be kept by anybody.

A copy in a browser or proxy would hide clicks, and lead on when the link is blocked: so ``no-store`` on all of them.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

Message = dict[str, Any]
LANGUAGES = ("en", "de")
NOTHING: Message = {"type": "http.response.body", "body": b""}

_NO_STORE = (b"cache-control", b"no-store")
_AS_TOLD = (b"x-content-type-options", b"nosniff")
_HTML = (
    (b"content-type", b"text/html; charset=utf-8"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    _AS_TOLD,
    (b"x-robots-tag", b"noindex"),
    (b"vary", b"accept-language"),
)
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{style}">
</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
<p><a href="{home}">{way}</a></p>
</main>
</body>
</html>
"""


@dataclass(frozen=True)
class Answer:
    """One answer: how it starts, and its body, which HEAD goes without."""

    start: Message
    body: Message


@dataclass(frozen=True)
class Answers:
    """All answers but the redirections, in one language."""

    unknown: Answer
    gone: Answer
    away: Answer


def redirection(address: str) -> Message:
    """The start of a 302 to ``address``, which is ASCII."""
    headers = [(b"location", address.encode("ascii")), _NO_STORE, (b"content-length", b"0")]
    return {"type": "http.response.start", "status": 302, "headers": headers}


def plain(
    status: int, text: str, *headers: tuple[bytes, bytes], content_type: str = "text/plain; charset=utf-8"
) -> Answer:
    """An answer for machines."""
    body = text.encode()
    fields = [(b"content-type", content_type.encode()), (b"content-length", b"%d" % len(body)), _NO_STORE]
    return _answer(status, [*fields, _AS_TOLD, *headers], body)


def style() -> Answer:
    """The stylesheet of the pages."""
    return plain(200, Path(__file__).with_name("page.css").read_text(), content_type="text/css; charset=utf-8")


def answers_in(language: str, *, locale: Path | None, home: str, style: str) -> Answers:
    """The pages in ``language``, with a way to ``home``; without a folder of translations, in English.

    ``style`` is the path of their stylesheet.
    """
    catalog: gettext.NullTranslations = gettext.NullTranslations()
    if locale is not None:
        catalog = gettext.translation("django", locale, [language], fallback=True)
    _ = catalog.gettext
    around = {"language": language, "home": f"{home}/", "way": _("All shows"), "style": style}
    unknown = {
        "title": _("There is no such link"),
        "text": _("Please check its spelling. A link that was made a moment ago may still be being checked."),
    }
    gone = {"title": _("This link leads nowhere any more"), "text": _("It has ended, or it was taken away.")}
    away = {"title": _("This link cannot be opened just now"), "text": _("Please try again in a moment.")}
    return Answers(
        unknown=_page(404, {**around, **unknown}),
        gone=_page(410, {**around, **gone}),
        away=_page(503, {**around, **away}, (b"retry-after", b"5")),
    )


def _page(status: int, words: Mapping[str, str], *headers: tuple[bytes, bytes]) -> Answer:
    body = _PAGE.format(**{name: escape(word) for name, word in words.items()}).encode()
    fields = [(b"content-language", words["language"].encode()), (b"content-length", b"%d" % len(body)), _NO_STORE]
    return _answer(status, [*fields, *_HTML, *headers], body)


def _answer(status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> Answer:
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return Answer(start, {"type": "http.response.body", "body": body})
