"""Writing the file with an order's valid tickets, and putting it in the place of the one before.

Guarantee: what is put in place holds exactly the tickets that are valid in that transaction, under the names that they
have in it, for the show as it is in it. A ticket that became void or changed its name between rendering and recording,
and a show that was moved, is seen there, and the run begins again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import ngettext

from inventory.transitions import lock_show_as_seen
from jobs.clock import DatabaseNow
from jobs.enqueue import enqueue
from jobs.record import record
from tickets.discard_file import discard_file
from tickets.errors import TicketsChanged
from tickets.models import Ticket, TicketDocument
from tickets.storage import store_document
from tickets.ticket_face import faces_of


@dataclass(frozen=True)
class WrittenDocument:
    """A file that is stored, and that no row names yet. printed: the tickets by number, each with its name.
    show_version: of the show when it was read.
    """

    order_id: int
    order_code: str
    show_id: int
    show_version: int
    printed: Sequence[tuple[int, str]]
    edition: int
    storage_name: str
    sha256: str
    size: int

    @property
    def ticket_ids(self) -> list[int]:
        return [number for number, _name in self.printed]


def write_document(*, tickets: Sequence[Ticket], edition: int = 0) -> WrittenDocument:
    """Render these tickets of one order and store their file. They bring show, venue, seat and tier along.

    edition: the one that was wanted before the tickets were read. Call it outside a transaction. Raises what the
    storage raises.
    """
    order_id, printed = tickets[0].order_id, sorted((ticket.pk, ticket.holder_name) for ticket in tickets)
    content = render_document(tickets=tickets)
    ids = [number for number, _name in printed]
    return WrittenDocument(
        order_id=order_id,
        order_code=tickets[0].order_code,
        show_id=tickets[0].show_id,
        show_version=tickets[0].show.version,
        printed=printed,
        edition=edition,
        storage_name=store_document(order_id=order_id, ticket_ids=ids, content=content, edition=edition),
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )


def render_document(*, tickets: Sequence[Ticket]) -> bytes:
    """The PDF with these tickets, in their language. They bring show, venue, seat and tier along; at least one."""
    # Loading the renderer is a quarter of a process's start. Workers that issue tickets preload it; no other needs it.
    from tickets.render_tickets import render_tickets

    first = tickets[0]
    with translation.override(first.language):
        faces = faces_of(tickets)
        heading = ngettext("Ticket: %(show)s, %(date)s", "Tickets: %(show)s, %(date)s", len(faces))
        title = heading % {"show": faces[0].title.text, "date": faces[0].date.text}
        return render_tickets(faces=faces, title=title, language=first.language)


@contextmanager
def recording(written: WrittenDocument) -> Iterator[None]:
    """The job's record, in which the written file takes the place of the one before.

    Raises TicketsChanged, and removes what was written, when these are not the order's valid tickets any more, or their
    show was moved.
    """
    try:
        with record():
            _put_in_place(written)
            yield
    except TicketsChanged:
        discard_file(storage_name=written.storage_name)
        raise


def remove_document(*, document: TicketDocument, order_code: str) -> None:
    """Let the order have no file any more. Part of the caller's transaction."""
    if TicketDocument.objects.filter(pk=document.pk, storage_name=document.storage_name).delete()[0]:
        _discard_later(storage_name=document.storage_name, order_code=order_code)


def _put_in_place(written: WrittenDocument) -> None:
    # Whoever moves the show waits for us, and then has this file printed anew.
    if not lock_show_as_seen(show_id=written.show_id, version=written.show_version):
        raise TicketsChanged
    # Locked, so that whoever makes one void meanwhile waits, and then finds the new row. Index: ticket_by_order.
    live = Ticket.objects.filter(order_id=written.order_id).exclude(status=Ticket.Status.VOID)
    valid = live.select_for_update(no_key=True).order_by("pk").values_list("pk", "holder_name")
    if list(valid) != list(written.printed):
        raise TicketsChanged
    row = TicketDocument.objects.filter(order_id=written.order_id)
    before, edition = row.values_list("storage_name", "edition").first() or ("", 0)
    if edition > written.edition:
        raise TicketsChanged  # a later edition was quicker
    values = {
        "ticket_ids": written.ticket_ids,
        "edition": written.edition,
        "storage_name": written.storage_name,
        "sha256": written.sha256,
        "size": written.size,
        "created_at": DatabaseNow(),
    }
    TicketDocument.objects.update_or_create(order_id=written.order_id, defaults=values)
    if before and before != written.storage_name:
        _discard_later(storage_name=before, order_code=written.order_code)


def _discard_later(*, storage_name: str, order_code: str) -> None:
    """By a job of its own: a file that nobody names any more must not stay because a process died just then."""
    enqueue(task="tickets.discard_file", args={"storage_name": storage_name}, subject=f"order:{order_code}")
