"""Whom to tell when a sale opens, as it was typed: kept and shown again, with a sentence that says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from boxoffice.contact import EMAIL_MAX_LENGTH


@dataclass(frozen=True)
class AlertForm:
    """``problem`` stands at the field. What counts as wrong is decided by ``boxoffice.ask_to_be_told`` alone."""

    email: str = ""
    problem: str = ""

    email_max_length = EMAIL_MAX_LENGTH
