"""Why a refund was refused before the provider heard of it. Each docstring is the message and says what to do."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class NothingToRefund(BoxOfficeError):
    __doc__ = gettext_noop("This order has no seats that could be refunded. Look at it again; nothing was changed.")


class LinesRefunded(BoxOfficeError):
    __doc__ = gettext_noop(
        "Some of these seats were given back already. Nothing was changed: look at the order and choose again."
    )


class TicketsUsed(BoxOfficeError):
    __doc__ = gettext_noop(
        "Somebody has gone in with one of these tickets. Nothing was changed: say that you refund it all the same."
    )


class SeatsNotSold(BoxOfficeError):
    __doc__ = gettext_noop("Not all of these seats are sold to this order. Nothing was changed; tell an engineer.")


class MoneyNotLeft(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment has not so much left that was not refunded or is under way. Nothing was changed; "
        "compare it with the payment provider's page."
    )


class PaymentDisputed(BoxOfficeError):
    __doc__ = gettext_noop(
        "This payment is disputed: the bank has the money, and the payment provider refunds nothing of it. "
        "Nothing was changed; what to do stands on top of the order's page."
    )


class NotTriedAgain(BoxOfficeError):
    __doc__ = gettext_noop(
        "This refund has not failed, or was tried again already. Nothing was changed; look at the order again."
    )


class NotEnoughLeft(NotTriedAgain):
    __doc__ = gettext_noop(
        "Of this payment not so much is left: since this refund failed, another one has given money back, or is under "
        "way. Nothing was changed. Refund what is left from the order's page; if nothing is, the fan has all of it."
    )


class WrittenOff(NotTriedAgain):
    __doc__ = gettext_noop(
        "This money was written off. Nothing was changed: take the write-off back first, on the page of the cancelled "
        "show, while its accounting is open."
    )


class RefundNotOurs(BoxOfficeError):
    __doc__ = gettext_noop("The payment provider tells of a refund with another amount than ours. Compare the two.")
