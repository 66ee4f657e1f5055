"""Why the box office refused. Each error's docstring is its message and tells the fan what to do.

Holds and seats have errors of their own (``inventory.errors``), which pass through the services of this app.
The docstrings are set with ``gettext_noop`` so that translators find them; ``status_code`` is the HTTP status that
a page answers with.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop, ngettext

from jobs.errors import PermanentError


class BoxOfficeError(PermanentError):
    __doc__ = gettext_noop("This is not possible. Load the page again and try once more.")
    status_code = 409

    def __init__(self, message: str = "") -> None:
        super().__init__(message or gettext(self.__doc__ or ""))


class InvalidContact(BoxOfficeError):
    __doc__ = gettext_noop("Look at the name and the e-mail address again.")
    status_code = 422

    def __init__(self, fields: Mapping[str, str]) -> None:
        """``fields``: a sentence for each field (``name``, ``email``) that is wrong."""
        super().__init__(" ".join(fields.values()))
        self.fields = dict(fields)


class TooManyTickets(InvalidContact):
    __doc__ = gettext_noop("These are more tickets for this show than one address can get. Choose fewer seats.")
    status_code = 409

    def __init__(self, *, limit: int) -> None:
        words = ngettext(
            "One address can get %(limit)d ticket for this show. With these it would be more: choose fewer seats.",
            "One address can get up to %(limit)d tickets for this show. With these it would be more: choose fewer "
            "seats, or come to the counter.",
            limit,
        )
        super().__init__({"email": words % {"limit": limit}})
        self.limit = limit


class OrderNotFound(BoxOfficeError):
    __doc__ = gettext_noop("There is no such order. Check the link in your e-mail.")
    status_code = 404


class TicketsNotStored(BoxOfficeError):
    __doc__ = gettext_noop("The file with these tickets is not there yet. Look at the order's page again in a moment.")
    status_code = 404


class LinkExpired(BoxOfficeError):
    __doc__ = gettext_noop("This link to the tickets has expired. Save them again from the page of your order.")
    status_code = 404


class TicketsBeingRenewed(BoxOfficeError):
    __doc__ = gettext_noop(
        "Tickets of this order were given back, and the file is being made anew without them. It takes a moment."
    )
    status_code = 202  # asked for and not ready; nothing is wrong


class TicketsVoid(BoxOfficeError):
    __doc__ = gettext_noop("All tickets of this order were given back or cancelled. They let nobody in any more.")
    status_code = 410


class TicketsNotReached(BoxOfficeError):
    __doc__ = gettext_noop(
        "The tickets cannot be fetched right now. Try again in a minute, or show the codes on the order's page."
    )
    status_code = 503


class OrderNotOpen(BoxOfficeError):
    __doc__ = gettext_noop("This order is closed and cannot be confirmed. Choose your seats again.")


class SeatsDiffer(BoxOfficeError):
    __doc__ = gettext_noop("The seats of this order have changed, and nothing was sold. Choose your seats again.")


class UnknownMessage(BoxOfficeError):
    __doc__ = gettext_noop("This kind of message has no text. List it in boxoffice/messages.")


# A draft raises it where what was planned to be told is not so any more; its message says why, for staff.
class NothingToSay(BoxOfficeError):
    __doc__ = gettext_noop("What was to be told is not so any more. No mail was sent.")


class DocumentMissing(BoxOfficeError):
    __doc__ = gettext_noop("The tickets of this order have not been stored. Issue them again, then send the mail.")


class MessageNotTold(BoxOfficeError):
    __doc__ = gettext_noop("This order has no such message yet. It can be sent again once it has been planned.")


class MessageUnderWay(BoxOfficeError):
    __doc__ = gettext_noop("This message is still on its way to that address. Nothing was planned.")


class AddressUnchanged(BoxOfficeError):
    __doc__ = gettext_noop("This is the address that the order has already. Nothing was changed.")


class TooBusy(BoxOfficeError):
    __doc__ = gettext_noop("So many people are buying that tickets would come late. No seats were held.")
    status_code = 503

    def __init__(self, *, retry_after: int) -> None:
        """``retry_after``: seconds after which to try again."""
        again = ngettext("Try again in %d second.", "Try again in %d seconds.", retry_after) % retry_after
        super().__init__(f"{gettext(self.__doc__ or '')} {again}")
        self.retry_after = retry_after


class NothingToWaitFor(BoxOfficeError):
    __doc__ = gettext_noop("No sale of this show lies ahead. Load its page again to see how it stands.")


class TooManyOpenings(BoxOfficeError):
    __doc__ = gettext_noop(
        "This address waits for as many sales as one address can. Try again when one of them has opened."
    )
    status_code = 429


class TooManyAlerts(BoxOfficeError):
    __doc__ = gettext_noop("So many people have asked that no more can be told. Come back when the sale opens.")
    status_code = 429
