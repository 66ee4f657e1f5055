"""A browser remembers the hold that it took for a show: "back" finds it again, a form sent twice does no harm.

The cookie is sent to that show's page only and lasts as long as a hold can. It proves nothing that the hold's address
would not prove as well, and the database says what it is worth.
"""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from inventory.errors import UnknownHold
from inventory.extend_hold import EXTENSION
from inventory.hold_seats import HOLD_DURATION
from inventory.leave_hold import come_back
from inventory.models import Hold, Show
from inventory.selectors import HeldSeats, hold_by_token

COOKIE = "hold"


def remember(response: HttpResponse, *, hold: Hold, show: Show) -> None:
    """Let the browser name this hold when it comes back to the show's page."""
    response.set_cookie(
        COOKIE,
        str(hold.token),
        max_age=HOLD_DURATION + EXTENSION,
        path=reverse("show", args=[show.slug]),
        secure=bool(settings.SESSION_COOKIE_SECURE),
        httponly=True,
        samesite="Lax",
    )


def remembered(request: HttpRequest, *, show: Show) -> HeldSeats | None:
    """The hold of this show that the browser names, if it can still be bought. No query without a cookie, else two.

    Whoever left its page is back with this one: his seats stay (one query more then).
    """
    try:
        held = hold_by_token(token=UUID(request.COOKIES.get(COOKIE, "")))
    except (ValueError, UnknownHold):
        return None
    if not held.is_open or held.hold.show_id != show.pk:
        return None
    if held.hold.left_at is not None:
        come_back(token=held.hold.token)
    return held
