"""How often a browser has asked to be told of openings: enough for a whole season, too few for a list of addresses.

The browser keeps the count itself, signed, since a sale needs no Redis (I13) and a session would be a row for each
visitor. Who throws the cookie away starts anew: against a script stand the bounds of a network (``client_network``), of
an address and of a show (``ask_to_be_told``).
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError

COOKIE = "asked"
MOST_PER_BROWSER = 20
REMEMBERED_FOR = timedelta(hours=1)

ADDRESS_COOKIE, ADDRESS_SALT = "asked_for", "boxoffice.asked_before.address"
ADDRESS_REMEMBERED_FOR = timedelta(minutes=1)
"""Long enough to show it once on the page that follows; others may use the same browser later."""


class AskedTooOften(BoxOfficeError):
    __doc__ = gettext_noop("You have asked for many addresses in a short time. Try again in an hour.")
    status_code = 429


def require_few(request: HttpRequest) -> None:
    """Passes for a browser that has not asked often of late. Raises AskedTooOften."""
    if _count(request) >= MOST_PER_BROWSER:
        raise AskedTooOften


def count_one_more(request: HttpRequest, response: HttpResponse) -> None:
    """Let the browser remember that it has asked once more. The hour begins anew."""
    response.set_signed_cookie(
        COOKIE,
        str(_count(request) + 1),
        max_age=REMEMBERED_FOR,
        path="/shows/",
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )


def remember_address(response: HttpResponse, *, slug: str, email: str) -> None:
    """Let the browser remember, for the page that follows, which address was noted: a slip of the finger is seen there.

    In a cookie, since what stands in an address ends up in logs and histories.
    """
    response.set_cookie(
        ADDRESS_COOKIE,
        signing.dumps(email, salt=ADDRESS_SALT),
        max_age=ADDRESS_REMEMBERED_FOR,
        path=f"/shows/{slug}/",
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )


def remembered_address(request: HttpRequest) -> str:
    """The address that was noted a moment ago, or nothing."""
    try:
        cookie = request.COOKIES.get(ADDRESS_COOKIE, "")
        return str(signing.loads(cookie, salt=ADDRESS_SALT, max_age=ADDRESS_REMEMBERED_FOR))
    except signing.BadSignature:
        return ""


def _count(request: HttpRequest) -> int:
    return int(request.get_signed_cookie(COOKIE, default="0", max_age=REMEMBERED_FOR) or 0)
