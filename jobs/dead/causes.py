"""Why a job died, in words for people who do not know the machinery."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

_WORDS: dict[str, str | Promise] = {
    "permanent error": _("It cannot heal by waiting."),
    "attempts used up": _("It was tried again and again, and failed each time."),
    "crash loop": _("It ended its worker each time it ran."),
    "unknown task": _("No worker knows how to do it."),
}

# Marked for translation; the ledger keeps them in English.
_REASONS = frozenset(
    {
        gettext_noop("attempts used up"),
        gettext_noop("broker away"),
        gettext_noop("crash loop"),
        gettext_noop("database away"),
        gettext_noop("lease ran out"),
        gettext_noop("message lost"),
        gettext_noop("message lost by the broker"),
        gettext_noop("paused"),
        gettext_noop("permanent error"),
        gettext_noop("provider away"),
        gettext_noop("queue unusable"),
        gettext_noop("rate limited"),
        gettext_noop("refused by the broker"),
        gettext_noop("replayed"),
        gettext_noop("superseded"),
        gettext_noop("unknown task"),
        gettext_noop("will be tried again"),
        gettext_noop("worker gone"),
        gettext_noop("worker stopped"),
    }
)

_CALLBACK_FAILED = _("What depends on it could not be told.")


def cause_in_words(*, reason: str, error: str = "") -> str:
    """The reason of a dead job as a sentence or two; reasons without words of their own are given as they are."""
    first, _semicolon, note = reason.partition("; its on_dead failed too")
    sentence = str(_WORDS.get(first, first)) or error.partition(":")[0]
    return f"{sentence} {_CALLBACK_FAILED}" if note else sentence


def reason_in_words(reason: str) -> str:
    """The reason of a job's state in the reader's language; what staff wrote is given as it is."""
    return gettext(reason) if reason in _REASONS else reason
