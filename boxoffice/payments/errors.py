"""Why a payment could not be made, in words for the fan."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class ProviderAway(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment provider does not answer. Nothing was charged, and your seats are still kept: try again."
    )
    status_code = 503


class PaymentRefused(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment provider does not take this payment, and nothing was charged. Write to us: it is our mistake."
    )
    status_code = 502


class NotChargeable(BoxOfficeError):
    __doc__ = gettext_noop("The payment provider cannot charge this amount. Write to us: it is our mistake.")


class ShowCalledOff(BoxOfficeError):
    __doc__ = gettext_noop("This show will not take place, and nothing was sold. Choose another show.")


class ForgedEvent(BoxOfficeError):
    __doc__ = gettext_noop("The event was not signed by the payment provider, or too long ago.")
    status_code = 400


class MalformedEvent(BoxOfficeError):
    __doc__ = gettext_noop("The payment provider signed an event that does not look as it documents it.")
    status_code = 400
