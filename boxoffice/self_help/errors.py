"""Why a fan could not help himself. Each docstring is the message and says what to do; nothing was changed."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class NothingToSend(BoxOfficeError):
    __doc__ = gettext_noop(
        "There is nothing to send again now: the mail with the tickets is still to come, or on its way already. The "
        "order's page says how far it is."
    )


class SentJustNow(BoxOfficeError):
    __doc__ = gettext_noop(
        "The tickets were sent within the last ten minutes. Look in your spam folder; if they do not come, try "
        "again in ten minutes."
    )
    status_code = 429


class SentOften(BoxOfficeError):
    __doc__ = gettext_noop(
        "The tickets were sent again three times already. Save them from this order's page, or write to us."
    )
    status_code = 429


class TooLateForName(BoxOfficeError):
    __doc__ = gettext_noop(
        "Names can be corrected until the day before the show, on an order that has tickets. Write to us instead."
    )


class NameCorrectedOften(BoxOfficeError):
    __doc__ = gettext_noop("The name was corrected twice already. Write to us, and we look at it.")
    status_code = 429


class TooLateForMoneyBack(BoxOfficeError):
    __doc__ = gettext_noop(
        "The money of this order cannot be asked back here, or not any more. Write to us, and we look at it."
    )


class MoneyBackDisputed(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment of this order is disputed with the bank, so the money cannot be asked back here. Write to us, and "
        "we look at it."
    )


class UsedForMoneyBack(BoxOfficeError):
    __doc__ = gettext_noop(
        "Somebody has gone in with a ticket of this order, so its money cannot be asked back here. Write to us, and we "
        "look at it."
    )


class WroteOften(BoxOfficeError):
    __doc__ = gettext_noop("We have several messages of yours from today already. We answer those first.")
    status_code = 429
