"""Who gets the tickets, as it was typed: kept and shown again, with a sentence at each field that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from boxoffice.contact import EMAIL_MAX_LENGTH, NAME_MAX_LENGTH


@dataclass(frozen=True)
class BuyerForm:
    """``problems``: by the field's name. What counts as wrong is decided by ``boxoffice.contact`` alone."""

    name: str = ""
    email: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)

    name_max_length = NAME_MAX_LENGTH
    email_max_length = EMAIL_MAX_LENGTH

    def with_problems(self, problems: Mapping[str, str]) -> BuyerForm:
        return replace(self, problems=problems)

    @property
    def name_problem(self) -> str:
        return self.problems.get("name", "")

    @property
    def email_problem(self) -> str:
        return self.problems.get("email", "")
