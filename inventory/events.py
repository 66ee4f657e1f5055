"""What this app announces. ``config/routes.py`` lists the tasks that follow."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.models.show import subject_of
from jobs.events import Event


@dataclass(frozen=True)
class SaleOpened(Event):
    """People waited for the sale of a show, and it has opened. ``on_sale_at`` tells its openings apart, in ISO form."""

    show_id: int
    on_sale_at: str

    def subject(self) -> str:
        return subject_of(show_id=self.show_id)
