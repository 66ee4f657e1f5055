"""What can go wrong with tickets. Each docstring is the message and says what to do."""

from __future__ import annotations

from jobs.errors import PermanentError, TransientError


class TicketError(PermanentError):
    """The tickets cannot be made. Look at the cause, mend it and replay the job."""


class NoTickets(TicketError):
    """This order has no tickets. Tickets are created when an order is confirmed; check the order."""


class TicketsNotReopened(TicketError):
    """These tickets have failed. Replay their job: that opens them again before it runs."""


class TicketsChanged(TransientError):
    """The tickets changed while they were being rendered. The next attempt renders them as they are now."""


class AssetRefused(TicketError):
    """The ticket asked for something that is not one of its own assets. Mend the ticket's template."""


class StorageKeepsOldFiles(TicketError):
    """The storage gave the ticket file another name. Set it to overwrite: a repeated job must not leave two files."""


class ForgedTicket(TicketError):
    """This is not a ticket of ours: its signature does not match. Do not let it in."""
