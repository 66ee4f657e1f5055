"""The file with an order's tickets, to be saved: through a link that soon opens nothing.

It goes through us wherever it is stored, rather than by a signed address of the storage: the bucket may stay out of
the fans' reach, its trouble becomes a page with words, and what is sent has our headers. A file has some 20 kB.
"""

from __future__ import annotations

import structlog
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from boxoffice.errors import LinkExpired, OrderNotFound, TicketsNotReached, TicketsNotStored
from boxoffice.selectors import order_by_token
from boxoffice.storefront.errors import refuse
from boxoffice.storefront.private_pages import private_page
from boxoffice.ticket_link import document_and_now, follow_link, sign_link
from tickets.storage import StorageFailed, read_document

log = structlog.get_logger(__name__)

no_referrer = private_page(referrer="no-referrer")


@no_referrer
@require_safe
def order_tickets(request: HttpRequest, token: str) -> HttpResponseBase:
    """On to a link that was made this moment, so that a page that stood open for hours still works. Two queries."""
    order = order_by_token(token=token)
    if order is None:
        return refuse(request, error=OrderNotFound())
    found = document_and_now(order_id=order.pk)
    if found is None:
        return refuse(request, error=TicketsNotStored())
    _document, now = found
    return redirect("ticket_file", link=sign_link(order=order, now=now))


@no_referrer
@require_safe
def ticket_file(request: HttpRequest, link: str) -> HttpResponseBase:
    """The file, under a name that says what it is. One query and one read of the storage.

    404 when the link is too old or the file is gone, 503 while the storage does not answer.
    """
    try:
        linked = follow_link(link=link)
    except LinkExpired as error:
        return refuse(request, error=error)
    if linked is None:
        return refuse(request, error=TicketsNotStored())
    try:
        content = read_document(document=linked.document)
    except FileNotFoundError:
        # Somebody must bring it back; meanwhile the page of the order shows the codes.
        log.exception("ticket_file_gone", order=linked.document.order_id)
        return refuse(request, error=TicketsNotStored())
    except StorageFailed:
        log.exception("ticket_storage_failed", order=linked.document.order_id)
        return refuse(request, error=TicketsNotReached())
    response = HttpResponse(content, content_type="application/pdf")
    response.headers["Content-Disposition"] = content_disposition_header(True, linked.name)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
