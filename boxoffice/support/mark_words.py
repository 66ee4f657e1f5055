"""Words marked in a text that stands on a page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

_WORD = re.compile(r"[\w’'`´]+")
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "'": "", "’": ""})


def marked(text: str, *, words: Collection[str]) -> SafeString:
    """The text as HTML with these words marked: small ones without accents, as a search has them; or all of it."""
    if not words:
        return format_html("{}", text)
    if text.lower() in words:
        return format_html("<mark>{}</mark>", text)
    pieces, last = [], 0
    for found in _WORD.finditer(text):
        if _plain(found[0]) in words:
            pieces += [("{}", text[last : found.start()]), ("<mark>{}</mark>", found[0])]
            last = found.end()
    pieces.append(("{}", text[last:]))
    return format_html_join("", "{}", ((format_html(frame, piece),) for frame, piece in pieces))


def _plain(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).translate(_LETTERS)
