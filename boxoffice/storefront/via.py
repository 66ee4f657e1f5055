"""A show's page that a tracked link led to lets the browser remember it. See Note [Came by a link]."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from boxoffice.came_by import COOKIE, PARAMETER, REMEMBERED_FOR, note_of
from inventory.models import Show


def remember_link(request: HttpRequest, response: HttpResponse, *, show: Show) -> None:
    """Let the browser remember the link in this address, if there is one. No query."""
    if note := note_of(request.GET.get(PARAMETER, ""), show_id=show.pk):
        response.set_cookie(
            COOKIE,
            note,
            max_age=REMEMBERED_FOR,
            secure=bool(settings.SESSION_COOKIE_SECURE),
            httponly=True,
            samesite="Lax",
        )


def remembered_link(request: HttpRequest) -> str:
    """What the browser remembers of it; empty for nothing. From anybody: ``code_for`` reads it."""
    return request.COOKIES.get(COOKIE, "")
