"""Why something about a cancelled show was refused. Each docstring is the message and says what to do."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError
from jobs.errors import RateLimited


class NameDiffers(BoxOfficeError):
    __doc__ = gettext_noop("That is not the name of the show. Nothing was changed: type it as it stands on the page.")


class CancelledBefore(BoxOfficeError):
    __doc__ = gettext_noop("This show is cancelled already. Look at how far its refunds have come.")


class PausedBefore(BoxOfficeError):
    __doc__ = gettext_noop("The refunds of this show are paused already. Look at the page again; nothing was changed.")


class NotPaused(BoxOfficeError):
    __doc__ = gettext_noop("The refunds of this show are not paused. Look at the page again; nothing was changed.")


class ClosedBefore(BoxOfficeError):
    __doc__ = gettext_noop("The accounting of this show is closed. Nothing was changed.")


class NothingToWriteOff(BoxOfficeError):
    __doc__ = gettext_noop(
        "Nothing of this order is left to write off: its money was given back, is on its way, or lies with the bank."
    )


class NothingToTryAgain(BoxOfficeError):
    __doc__ = gettext_noop(
        "No refund of this show is left that failed and could be tried again: somebody was faster, or they have gone "
        "out. Nothing was changed; look at the page again."
    )


class NothingWrittenOff(BoxOfficeError):
    __doc__ = gettext_noop("Nothing of this order is written off. Look at the page again; nothing was changed.")


class RefundsPaused(RateLimited):
    """The refunds of this show are paused: the job comes again when they are resumed, and no attempt is used up."""


class SentTooFast(RateLimited):
    """The payment provider takes no more refunds for the moment. All of them wait, and then this one is sent again."""
