"""How much a request may send: a visitor a form, staff a seating plan too."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

VISITOR_BYTES = 1024 * 1024
"""The longest form of a visitor has a few thousand."""

STAFF_BYTES = 65 * 1024 * 1024
"""The largest seating plan that is read, and the form around it."""


class BodyLimitMiddleware:
    """Refuses a request that announces more than its sender may send, before anything reads it.

    Stands behind the authentication, and asks who it is only where a visitor's limit is passed. A body without a
    Content-Length is not read at all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        announced = _announced_bytes(request)
        if announced > VISITOR_BYTES and (announced > STAFF_BYTES or not request.user.is_staff):
            words = _("This is more than we take in one request, and nothing was changed. Send less.")
            return HttpResponse(words, status=413, content_type="text/plain; charset=utf-8")
        return self.get_response(request)


def _announced_bytes(request: HttpRequest) -> int:
    given = request.META.get("CONTENT_LENGTH") or "0"
    # Python refuses to read numbers of thousands of digits, which are too large in any case.
    return int(given[:18]) if given.isascii() and given.isdigit() else 0
