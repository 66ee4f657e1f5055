"""What tracked links announce."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from jobs.events import Event


@dataclass(frozen=True)
class LinkChanged(Event):
    """A link was created, or its target was changed or taken away; published in the transaction that does it.

    version: the link's, as this change has set it. What follows from it does so for this version or not at all.

    The jobs of one link run one after the other, in the order of its changes.
    """

    is_hook: ClassVar[bool] = True

    link_id: int
    version: int

    def subject(self) -> str:
        return f"link:{self.link_id}"

    def ordering_key(self) -> str:
        return self.subject()
