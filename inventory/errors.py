"""Why the inventory refused. Each error's docstring is its message and tells the fan what to do.

The docstrings are set with ``gettext_noop`` so that translators find them; the message is put into the active
language when the error is raised. ``status_code`` is the HTTP status that a page answers with.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext, gettext_noop, ngettext

from jobs.errors import PermanentError


class InventoryError(PermanentError):
    __doc__ = gettext_noop("This is not possible. Go back to the show and try again.")
    status_code = 422

    def __init__(self, message: str = "") -> None:
        super().__init__(message or gettext(self.__doc__ or ""))


class UnknownShow(InventoryError):
    __doc__ = gettext_noop("There is no such show. Look for it in the list of shows.")
    status_code = 404


class UnknownTier(InventoryError):
    __doc__ = gettext_noop("This show has no such price. Choose one of the prices on its page.")


class NotOnSale(InventoryError):
    __doc__ = gettext_noop("Tickets for this show are not on sale. Choose another show.")
    status_code = 409

    def __init__(self, message: str = "", *, opens_at: datetime | None = None) -> None:
        super().__init__(message)
        self.opens_at = opens_at


class NoSeatsChosen(InventoryError):
    __doc__ = gettext_noop("No seat was chosen. Choose at least one.")


class TooManySeats(InventoryError):
    __doc__ = gettext_noop("These are too many seats at once. Choose fewer.")

    def __init__(self, *, limit: int) -> None:
        super().__init__(
            ngettext(
                "You can take %(limit)d seat at once. Choose fewer.",
                "You can take up to %(limit)d seats at once. Choose fewer.",
                limit,
            )
            % {"limit": limit}
        )
        self.limit = limit


class DuplicateSeats(InventoryError):
    __doc__ = gettext_noop("The same seat was chosen twice. Choose each seat once.")


class UnknownSeats(InventoryError):
    __doc__ = gettext_noop("Some of these seats do not belong to this show. Choose your seats again on its page.")


class SeatsTaken(InventoryError):
    __doc__ = gettext_noop("Some of these seats have just been taken. Choose others.")
    status_code = 409

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(
            ngettext(
                "This seat has just been taken: %(seats)s. Choose another one.",
                "These seats have just been taken: %(seats)s. Choose others.",
                len(labels),
            )
            % {"seats": "; ".join(labels)}
        )
        self.labels = tuple(labels)


class LeavesLoneSeats(InventoryError):
    __doc__ = gettext_noop("Single seats would be left alone. Take them along, or choose others.")
    status_code = 409

    def __init__(self, *, seat_ids: Sequence[int], labels: Sequence[str]) -> None:
        super().__init__(
            ngettext(
                "%(places)s would be left alone, without a free seat beside it.",
                "%(places)s would be left alone, without free seats beside them.",
                len(labels),
            )
            % {"places": "; ".join(labels)}
        )
        self.seat_ids = tuple(seat_ids)
        self.labels = tuple(labels)


class NotEnoughPlaces(InventoryError):
    __doc__ = gettext_noop("There are not so many such places. Nothing was changed.")
    status_code = 409

    def __init__(self, *, free: int) -> None:
        super().__init__(
            ngettext(
                "Only %(free)d such place is there. Nothing was changed.",
                "Only %(free)d such places are there. Nothing was changed.",
                free,
            )
            % {"free": free}
        )
        self.free = free


class AreaHasChanged(InventoryError):
    __doc__ = gettext_noop(
        "Another number of these places is aside by now; nothing was changed. Look at the numbers again."
    )
    status_code = 409


class NotEnoughSeats(InventoryError):
    __doc__ = gettext_noop("There are not so many seats left at this price. Choose fewer, or another price.")
    status_code = 409

    def __init__(self, *, free: int) -> None:
        super().__init__(
            ngettext(
                "Only %(free)d seat is left at this price. Choose fewer, or another price.",
                "Only %(free)d seats are left at this price. Choose fewer, or another price.",
                free,
            )
            % {"free": free}
            if free
            else gettext("No seats are left at this price. Choose another price.")
        )
        self.free = free


class UnknownHold(InventoryError):
    __doc__ = gettext_noop("There is no such choice of seats. Choose your seats again on the page of the show.")
    status_code = 404


class HoldExpired(InventoryError):
    __doc__ = gettext_noop("The time to buy these seats has run out. Choose your seats again.")
    status_code = 410


class HoldNotActive(InventoryError):
    __doc__ = gettext_noop("These seats are no longer kept for you. Choose your seats again.")
    status_code = 409


class HoldIsBought(InventoryError):
    __doc__ = gettext_noop(
        "You have begun to buy other seats of this show. Pay for them or give them back, then choose these."
    )
    status_code = 409


class HoldIncomplete(InventoryError):
    __doc__ = gettext_noop("Some of your seats were lost, and nothing was sold. Choose your seats again.")
    status_code = 409


class TransitionRefused(InventoryError):
    __doc__ = gettext_noop("This has changed in the meantime. Load the page again to see how it stands.")
    status_code = 409


class PlanRefused(InventoryError):
    __doc__ = gettext_noop("This is not a seating plan that can be read. Export it again and import that file.")

    def __init__(self, *, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class PlanExists(InventoryError):
    __doc__ = gettext_noop("The venue has another plan of this name. Give this one a name of its own.")
    status_code = 409


class ShowRefused(InventoryError):
    __doc__ = gettext_noop("This show cannot be created. Correct what is named and try again.")
