"""Telling who has tickets that their show was moved, and having the tickets printed anew: page by page.

Guarantee: each order is told once of each move (see ``tell_holders``), and its file is printed anew once, since a page,
the job of the next one and the end of its own job are one transaction. Who chose his seats before the move and paid
after it is told of the newest one when his tickets are there.
"""

from __future__ import annotations

from boxoffice.messages import show_moved
from boxoffice.shows.tell_holders import PAGE, tell_page
from inventory.models.show import subject_of
from jobs.enqueue import enqueue
from tickets.print_many_anew import print_many_anew

TASK = "boxoffice.tell_show_moved"


def tell_show_moved(*, show_id: int, version: int, after: int = 0, page_size: int = PAGE) -> int:
    """Plan the mails of one page of orders, have their files printed anew, and enqueue the next page; returns how many
    mails are new.

    version: the show's by that move; it tells the mails of one move from those of another. after: the last order of
    the page before. Requires a transaction, which ends the job.
    """
    page = tell_page(show_id=show_id, kind=show_moved.KIND, version=version, after=after, page_size=page_size)
    if page.order_ids:
        print_many_anew(order_ids=page.order_ids)
    if page.is_full:
        enqueue(
            task=TASK,
            args={"show_id": show_id, "version": version, "after": page.order_ids[-1]},
            subject=subject_of(show_id=show_id),
        )
    return page.planned
