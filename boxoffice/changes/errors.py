"""Why a change by staff was refused. Each docstring is the message and says what to do; nothing was changed."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import BoxOfficeError
from inventory.money import Money


class NameUnchanged(BoxOfficeError):
    __doc__ = gettext_noop("This is the name that the order has already. Nothing was changed.")


class NothingPrinted(BoxOfficeError):
    __doc__ = gettext_noop("The tickets have no file yet, or none is valid any more. There is nothing to make anew.")


class TicketFileLost(BoxOfficeError):
    __doc__ = gettext_noop("The file with these tickets is gone or damaged. Make the tickets anew: their codes stay.")


class PrintedMeanwhile(BoxOfficeError):
    __doc__ = gettext_noop(
        "The file was asked for anew in the meantime. Nothing more was done; look at the order again."
    )


class NotToBeCancelled(BoxOfficeError):
    __doc__ = gettext_noop("This order has ended, or was paid just now. Nothing was cancelled; look at it again.")


class NotToBeMoved(BoxOfficeError):
    __doc__ = gettext_noop(
        "Only a confirmed order whose show takes place can be moved. Nothing was changed; look at the order again."
    )


class LinesGone(BoxOfficeError):
    __doc__ = gettext_noop(
        "These are not the seats that the order has now: somebody moved or refunded them. Nothing was changed; look at "
        "the order again."
    )


class CountDiffers(BoxOfficeError):
    def __init__(self, *, old: int, new: int) -> None:
        words = ngettext(
            "%(old)d seat is to be moved, and %(new)d is named. Name as many new seats.",
            "%(old)d seats are to be moved, and %(new)d are named. Name as many new seats.",
            old,
        )
        super().__init__(words % {"old": old, "new": new})


class PriceDiffers(BoxOfficeError):
    def __init__(self, *, label: str, costs: Money, paid: Sequence[Money]) -> None:
        words = _(
            "%(seat)s costs %(costs)s, and %(paid)s was paid. An order moves to seats of the same price only: choose "
            "others, or refund it and sell the new seats."
        )
        known = " / ".join(dict.fromkeys(str(money) for money in paid))
        super().__init__(words % {"seat": label, "costs": costs, "paid": known})


class SomebodyIsIn(BoxOfficeError):
    __doc__ = gettext_noop(
        "Somebody has gone in with one of these tickets. Nothing was changed: undo that at the door first, or move the "
        "other seats only."
    )


class SeatGivenBackBefore(BoxOfficeError):
    def __init__(self, label: str) -> None:
        super().__init__(
            _("%(seat)s was given back from this very order, which cannot have it again. Choose another seat.")
            % {"seat": label}
        )


class HoldIsOver(BoxOfficeError):
    __doc__ = gettext_noop("This hold has ended, or somebody changed its end. Nothing was changed; look at it again.")


class HoldNotYours(BoxOfficeError):
    __doc__ = gettext_noop(
        "These seats were sold, or somebody else holds them. Nothing was changed: who may end a hold does so on its "
        "own page, and says why."
    )


class HoldTooLong(BoxOfficeError):
    __doc__ = gettext_noop(
        "So long a hold would keep seats from others for more than two hours. Nothing was changed: extend it by less."
    )


class NotPaidOutByHand(BoxOfficeError):
    __doc__ = gettext_noop(
        "This refund does not wait for somebody to pay it out: that was recorded already, or the payment provider pays "
        "it. Nothing was changed."
    )


class ReasonForGift(BoxOfficeError):
    __doc__ = gettext_noop("Say why these tickets are given away.")


class SoldDifferently(BoxOfficeError):
    __doc__ = gettext_noop(
        "These seats were sold already, in another way than this form says. Look at the order that they became."
    )
