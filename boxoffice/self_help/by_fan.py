"""How the audit trail names a fan who changed his own order. No login of staff is called so: theirs have no space."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

BY_FAN = gettext_noop("the fan")
SENT_AGAIN = gettext_noop("sent again from the order's page")
NAME_CORRECTED = gettext_noop("a slip corrected on the order's page")
MONEY_BACK = gettext_noop("money back asked for on the order's page")


def in_words(*, by: str, reason: str) -> tuple[str, str]:
    """Who and why, as staff read it: what a fan did in their language, and what staff wrote as it is."""
    return (gettext(by), gettext(reason)) if by == BY_FAN else (by, reason)
