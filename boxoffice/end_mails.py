"""A reader ends mails of one kind, or takes them up again."""

from __future__ import annotations

from django.db import transaction

from boxoffice.messages import sale_opened
from boxoffice.models import SaleAlert
from notifications.models import Notification
from notifications.unsubscribe import subscribe_again, unsubscribe


def end_mails(*, mail: Notification) -> None:
    """Send the reader of ``mail`` no more of its kind. Pressing twice does no harm. One transaction.

    Where he had asked to be told of sales, his address is erased there: it is kept for nothing else.
    """
    with transaction.atomic():
        unsubscribe(address=mail.recipient, kind=mail.kind)
        if mail.kind == sale_opened.KIND:
            SaleAlert.objects.filter(email=mail.recipient).delete()


def take_mails_up_again(*, mail: Notification) -> None:
    """Send the reader of ``mail`` mails of its kind again: those that are planned from now on."""
    subscribe_again(address=mail.recipient, kind=mail.kind)
