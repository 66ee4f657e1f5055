"""The mail that brings the tickets: what, when, where, which seats, the PDF, a calendar entry, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from boxoffice.errors import DocumentMissing, NothingToSay, OrderNotFound
from boxoffice.gather_places import gather_lines
from boxoffice.messages.base import Draft
from boxoffice.messages.calendar_file import calendar_file
from boxoffice.messages.shared_context import about_order
from boxoffice.messages.show_times import day_of
from boxoffice.models import Order, OrderAction, OrderLine
from boxoffice.models.order import code_of
from boxoffice.order_address import address_of
from boxoffice.own_direction import isolated
from boxoffice.selectors import lines_of_order, order_by_code
from inventory.money import Money
from notifications.content import Attachment
from tickets.errors import DocumentOutdated
from tickets.selectors import document_of_order
from tickets.storage import read_whole
from tickets.valid_document import require_valid

KIND = "tickets_ready"

# Why it is not sent. Staff read it, in their own language.
GIVEN_BACK = gettext_noop("all its tickets were given back")


def draft(*, subject: str) -> Draft:
    """The mail as things stand now. Six queries and one read of the ticket file, outside any transaction.

    Raises OrderNotFound, NothingToSay (all was given back), DocumentMissing (the tickets are not issued),
    DocumentOutdated (tried again: the file is being made anew without what was given back, or as it is printed now),
    and OSError when it cannot be read.
    """
    order = order_by_code(code=code_of(subject=subject))
    if order is None:
        raise OrderNotFound
    lines = list(lines_of_order(order_id=order.pk).filter(refunded_at__isnull=True))
    if not lines:
        raise NothingToSay(GIVEN_BACK)
    moved = OrderAction.objects.filter(order_id=order.pk, action=OrderAction.Action.MOVE).exists()
    files = (_ticket_file(order), calendar_file(order=order))
    return worded(order=order, lines=lines, attachments=files, moved=moved)


def worded(
    *, order: Order, lines: Sequence[OrderLine], attachments: Sequence[Attachment], moved: bool = False
) -> Draft:
    """What the mail says of these seats. attachments: the file with their tickets first. moved: they are others than
    those that an earlier mail told of. Pure.
    """
    show = order.show
    about = about_order(order)
    return Draft(
        to_name=order.name,
        subject=ngettext("Your ticket: %(show)s, %(day)s", "Your tickets: %(show)s, %(day)s", len(lines))
        % {"show": isolated(show.title), "day": day_of(show)},
        preheader=ngettext(
            "%(starts)s, %(venue)s. The ticket is attached.",
            "%(starts)s, %(venue)s. The tickets are attached.",
            len(lines),
        )
        % {**about, "venue": isolated(show.venue.name)},
        template=KIND,
        context={
            **about,
            "lines": lines,
            "places": gather_lines(lines),
            "moved": moved,
            "total": Money.sum((line.money for line in lines), currency=order.currency),
        },
        attachments=attachments,
        link_instead=address_of(order),
    )


def _ticket_file(order: Order) -> Attachment:
    document = document_of_order(order_id=order.pk)
    if document is None:
        raise DocumentMissing
    require_valid(document=document)
    if document.edition != document.wanted:
        raise DocumentOutdated  # something else is to be printed, and whoever waits for this mail waits for that
    try:
        content = read_whole(document=document)
    finally:
        require_valid(document=document)  # where another took its place meanwhile, that is what is wrong
    name = _("tickets-%(code)s.pdf") % {"code": order.code}
    return Attachment(name=name, content_type="application/pdf", content=content)
