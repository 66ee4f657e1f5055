"""``manage.py verify_ticket PAYLOAD [--show SLUG] [--offline]``: how the ticket with this QR code stands."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from inventory.models import Show
from tickets.check_ticket import check_ticket
from tickets.codes import ALPHABET, LENGTH, grouped, typed
from tickets.errors import ForgedTicket
from tickets.qr import read_ticket


class Command(BaseCommand):
    help = "Checks the text of a ticket's QR code. The exit status is 0 for a valid ticket and 1 for any other."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("payload", help="the text of the QR code")
        parser.add_argument("--show", metavar="SLUG", help="the show at this door; any show without it")
        parser.add_argument("--offline", action="store_true", help="check the signature only, without the database")

    def handle(self, *args: Any, payload: str, show: str | None, offline: bool, **options: Any) -> None:
        if len(typed(payload)) == LENGTH and set(typed(payload)) <= set(ALPHABET):
            raise CommandError(
                "This is the code that is printed on a ticket, which proves nothing. Give the text of the QR code. "
                "How the ticket with this code stands is told by the search for orders at the support desk."
            )
        if offline:
            return self._signature(payload)
        show_id = self._show_id(show) if show else None
        check = check_ticket(payload=payload, show_id=show_id)
        if check.ticket:
            ticket = check.ticket
            self.stdout.write(
                f"{ticket.printed_code} · {ticket.show.title} · {ticket.seat.label} · {ticket.holder_name}"
            )
        if not check.valid:
            raise CommandError(check.sentence)
        self.stdout.write(check.sentence)

    def _signature(self, payload: str) -> None:
        try:
            signed = read_ticket(payload=payload)
        except ForgedTicket as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Signed by us: ticket {grouped(signed.code)} of show {signed.show_id}.")

    def _show_id(self, slug: str) -> int:
        show_id = Show.objects.filter(slug=slug).values_list("id", flat=True).first()
        if show_id is None:
            raise CommandError(f"There is no show “{slug}”. Use the last part of the address of the show's page.")
        return show_id
