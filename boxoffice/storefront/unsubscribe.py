"""Getting no more mails of one kind: by the link in a mail, or by the button that a mail program shows (RFC 8058)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from boxoffice.end_mails import end_mails, take_mails_up_again
from boxoffice.storefront.private_pages import private_page
from boxoffice.unsubscribe_link import reader_of_token
from notifications.unsubscribe import is_unsubscribed

ONE_CLICK = ("List-Unsubscribe", "One-Click")


@csrf_exempt
@private_page()
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """POST as RFC 8058 has it: end the mails; the token is the proof, and no cookie plays a part. Else, the page."""
    if request.method == "POST" and request.POST.get(ONE_CLICK[0]) == ONE_CLICK[1]:
        return _one_click(token)
    return _page(request, token)


def _one_click(token: str) -> HttpResponse:
    """A program asks: it wants a status, and never a redirection."""
    reader = reader_of_token(token=token)
    if reader is None:
        return HttpResponse(status=404)
    end_mails(reader=reader)
    return HttpResponse(status=200)


@csrf_protect
def _page(request: HttpRequest, token: str) -> HttpResponse:
    """GET: which mails, and whether to end them; a look changes nothing. POST: do, or undo it (``again``)."""
    reader = reader_of_token(token=token)
    if reader is None:
        return render(request, "boxoffice/unsubscribe.html", status=404)
    if request.method == "POST":
        (take_mails_up_again if "again" in request.POST else end_mails)(reader=reader)
    context = {
        "token": token,
        "kind": reader.kind,
        "is_ended": is_unsubscribed(address=reader.address, kind=reader.kind),
        "was_undone": request.method == "POST" and "again" in request.POST,
    }
    return render(request, "boxoffice/unsubscribe.html", context)
