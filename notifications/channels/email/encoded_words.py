"""Text that looks like an encoded word (RFC 2047), such as ``=?utf-8?q?=0ABcc:_eve?=``.

Whoever reads a header decodes it, ``email`` itself when it writes one: a line break that was typed as ``=0A`` would
become a real one, and what follows a header of its own.
"""

from __future__ import annotations

from dataclasses import replace

from notifications.content import EmailContent

BEGINNING = "=?"
"""Of an encoded word. No text without it is ever decoded."""

_AS_TEXT = "=\u2060?"
"""The same to the eye: a word joiner, which has no width, stands between."""


def as_text(text: str) -> str:
    """The text, read by everybody as it was typed."""
    return text.replace(BEGINNING, _AS_TEXT)


def without_encoded_words(content: EmailContent) -> EmailContent:
    """With a name and a subject that are read as they were typed."""
    return replace(content, to_name=as_text(content.to_name), subject=as_text(content.subject))
