"""The file with an order's tickets, to be saved: through a link that soon opens nothing.

It goes through us wherever it is stored, rather than by a signed address of the storage: the bucket may stay out of
the fans' reach, its trouble becomes a page with words, and what is sent has our headers. A file has some 20 kB.

Guarantee: what is sent holds no ticket that was void when it had been read.
"""

from __future__ import annotations

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from boxoffice.errors import BoxOfficeError, OrderNotFound, TicketsBeingRenewed, TicketsNotReached, TicketsNotStored
from boxoffice.selectors import order_by_token
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.polling import Poll, next_poll
from boxoffice.storefront.private_pages import private_page
from boxoffice.ticket_link import LinkedFile, document_and_now, follow_link, sign_link
from tickets.errors import DocumentOutdated
from tickets.storage import StorageFailed, read_document
from tickets.valid_document import require_valid

log = structlog.get_logger(__name__)

no_referrer = private_page(referrer="no-referrer")

# A page that asks again by itself, without a script, can do so in whole seconds only.
LEAST_SECONDS = 2


@no_referrer
@require_safe
def order_tickets(request: HttpRequest, token: str) -> HttpResponseBase:
    """On to a link that was made this moment, so that a page that stood open for hours still works. Two queries."""
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    try:
        _document, now = document_and_now(order_id=order.pk)
    except BoxOfficeError as error:
        return _not_now(request, error=error)
    return redirect("ticket_file", link=sign_link(order=order, now=now))


@no_referrer
@require_safe
def ticket_file(request: HttpRequest, link: str) -> HttpResponseBase:
    """The file, under a name that says what it is. Three queries and one read of the storage.

    404 when the link is too old or the file is gone, 410 when no ticket is valid any more, 503 while the storage does
    not answer; 202 while the file is being made anew, with a page that asks again.
    """
    try:
        linked = follow_link(link=link)
        content = _read(linked)
    except BoxOfficeError as error:
        return _not_now(request, error=error)
    response = HttpResponse(content, content_type="application/pdf")
    response.headers["Content-Disposition"] = content_disposition_header(True, linked.name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _read(linked: LinkedFile) -> bytes:
    """The stored file, valid after it was read. Raises TicketsBeingRenewed, TicketsNotStored and TicketsNotReached."""
    document = linked.document
    try:
        content = read_document(document=document)
        require_valid(document=document)
    except DocumentOutdated as error:
        raise TicketsBeingRenewed from error
    except FileNotFoundError as error:
        try:
            require_valid(document=document)  # another may have taken its place just now
        except DocumentOutdated:
            raise TicketsBeingRenewed from error
        # Somebody must bring it back; meanwhile the page of the order shows the codes.
        log.exception("ticket_file_gone", order=document.order_id)
        raise TicketsNotStored from error
    except StorageFailed as error:
        log.exception("ticket_storage_failed", order=document.order_id)
        raise TicketsNotReached from error
    return content


def _not_now(request: HttpRequest, *, error: BoxOfficeError) -> HttpResponse:
    if not isinstance(error, TicketsBeingRenewed):
        return refuse(request, error=error)
    poll = next_poll(request.GET)
    context = {"words": error, "poll": poll, "seconds": _seconds(poll)}
    response = render(request, "boxoffice/tickets_renewed.html", context, status=error.status_code)
    response.headers["Retry-After"] = str(_seconds(poll))
    return response


def _seconds(poll: Poll) -> int:
    return max(LEAST_SECONDS, round(poll.delay_ms / 1000))
