"""Why a job died, in words for people who do not know the machinery."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, str | Promise] = {
    "permanent error": _("It cannot heal by waiting."),
    "attempts used up": _("It was tried again and again, and failed each time."),
    "crash loop": _("It ended its worker each time it ran."),
    "unknown task": _("No worker knows how to do it."),
}

_CALLBACK_FAILED = _("What depends on it could not be told.")


def cause_in_words(*, reason: str, error: str = "") -> str:
    """The reason of a dead job as a sentence or two; reasons without words of their own are given as they are."""
    first, _semicolon, note = reason.partition("; its on_dead failed too")
    sentence = str(_WORDS.get(first, first)) or error.partition(":")[0]
    return f"{sentence} {_CALLBACK_FAILED}" if note else sentence


def cause_of(*, reason: str, error: str) -> str:
    """What many dead jobs share: the class of their error, or the reason where there is no error."""
    return error.partition(":")[0] if error else reason
