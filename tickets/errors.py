"""What can go wrong with tickets. Each docstring is the message and says what to do."""

from __future__ import annotations

from django.utils.translation import gettext, gettext_noop

from jobs.errors import PermanentError, TransientError


class TicketError(PermanentError):
    """The tickets cannot be made. Look at the cause, mend it and replay the job."""


class NoTickets(TicketError):
    """This order has no tickets. Tickets are created when an order is confirmed; check the order."""


class TicketsChanged(TransientError):
    """The tickets changed while they were being rendered. The next attempt renders them as they are now."""


class DocumentOutdated(TransientError):
    """The file holds void tickets, or what is printed was corrected. It is being made anew; try again in a moment."""


class AssetRefused(TicketError):
    """The ticket asked for something that is not one of its own assets. Mend the ticket's template."""


class StorageKeepsOldFiles(TicketError):
    """The storage gave the ticket file another name. Set it to overwrite: a repeated job must not leave two files."""


class ForgedTicket(TicketError):
    """This is not a ticket of ours: its signature does not match. Do not let it in."""


class TicketBusy(TransientError):
    """This ticket is being changed at this very moment. Scan it again."""


class DoorRefused(TicketError):
    __doc__ = gettext_noop("This is not possible. Look at how the ticket stands.")

    def __init__(self, message: str = "") -> None:
        super().__init__(message or gettext(self.__doc__ or ""))


class NoSuchTicket(DoorRefused):
    __doc__ = gettext_noop("No ticket of this show has this code. Look at its eight characters again.")


class ReasonMissing(DoorRefused):
    __doc__ = gettext_noop("A reason is missing. Say in a few words why.")


class NotIn(DoorRefused):
    __doc__ = gettext_noop("Nobody is in with this ticket, so there is nothing to undo.")


class NotToBeAdmitted(DoorRefused):
    __doc__ = gettext_noop("This ticket is void or somebody is in with it. Nobody was let in.")


class ShowNotHeld(DoorRefused):
    __doc__ = gettext_noop("This show is postponed or cancelled. Nobody was let in.")
