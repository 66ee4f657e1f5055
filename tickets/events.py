"""What tickets announce to the layers above."""

from __future__ import annotations

from dataclasses import dataclass

from jobs.events import Event


@dataclass(frozen=True)
class TicketsIssued(Event):
    """An order's tickets are stored and may be handed out."""

    order_id: int
    order_code: str

    def subject(self) -> str:
        return f"order:{self.order_code}"
