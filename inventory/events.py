"""What this app announces. ``config/routes.py`` lists the tasks that follow."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.models.show import subject_of
from jobs.events import Event


@dataclass(frozen=True)
class SaleOpened(Event):
    """People waited for the sale of a show, and it has opened.

    announced_at: tells its openings apart, as it may open twice at the same ``on_sale_at``. Both in ISO form.
    """

    show_id: int
    on_sale_at: str
    announced_at: str

    def subject(self) -> str:
        return subject_of(show_id=self.show_id)
