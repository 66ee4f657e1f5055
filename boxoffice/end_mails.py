"""A reader ends mails of one kind, or takes them up again."""

from __future__ import annotations

from django.db import transaction

from boxoffice.erase_sale_alerts import erase_alerts_of
from boxoffice.messages import sale_opened
from boxoffice.unsubscribe_link import Reader
from notifications.unsubscribe import subscribe_again, unsubscribe


def end_mails(*, reader: Reader) -> None:
    """Send this reader no more mails of the kind. Pressing twice does no harm. One transaction.

    Where he had asked to be told of sales, his address is erased there: it is kept for nothing else.
    """
    with transaction.atomic():
        unsubscribe(address=reader.address, kind=reader.kind)
        if reader.kind == sale_opened.KIND:
            erase_alerts_of(email=reader.address)


def take_mails_up_again(*, reader: Reader) -> None:
    """Send this reader mails of the kind again: those that are planned from now on.

    This alone lifts an end, by the link in a mail that he got: an address typed into a form may be anybody's. The
    alerts that ending has erased do not come back.
    """
    subscribe_again(address=reader.address, kind=reader.kind)
