"""Why nothing was done about a finding. Each docstring is the message and says what to do."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class FindingResolved(BoxOfficeError):
    __doc__ = gettext_noop("This is resolved already: somebody was first, or the other side has come. See below how.")


class FindingChanged(BoxOfficeError):
    __doc__ = gettext_noop("This was found otherwise since you looked at it. Nothing was changed: look at it again.")


class MoneyIsKnown(BoxOfficeError):
    __doc__ = gettext_noop(
        "This money has come here since it was found. Nothing was changed: have its day reconciled again."
    )


class MoneyUnderWay(BoxOfficeError):
    __doc__ = gettext_noop(
        "A payment or refund of this order is still under way, and this may be its money. Nothing was changed: try "
        "again once it has ended."
    )


class FindingTaken(BoxOfficeError):
    """Somebody else has it."""

    def __init__(self, *, by: str = "") -> None:
        words = _("%(who)s has taken this. Look at it again.") if by else _("Somebody else has just taken this.")
        super().__init__(words % {"who": by} if by else words)


class FindingNotYours(BoxOfficeError):
    __doc__ = gettext_noop("You have not taken this, so you cannot give it back.")


class NotOffered(BoxOfficeError):
    __doc__ = gettext_noop("This cannot be done about this finding. Nothing was changed: choose what the page offers.")


class NotConfirmed(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment provider does not say that the money has moved. Nothing was changed: look at its page, or wait."
    )


class NoSuchOrder(BoxOfficeError):
    __doc__ = gettext_noop("There is no order with this code. Nothing was changed: look at the code again.")
