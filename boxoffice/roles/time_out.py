"""How long a login at the desk lasts: it ends after half an hour without a page, and after twelve hours in any case.

Fans' sessions are those of nobody, and end by their own time (``config/sessions.py``). A door's login lasts its night
(``boxoffice/door/login.py``): nobody types a password between two guests.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from jobs.clock import database_now

IDLE = timedelta(minutes=30)
"""A lunch is longer, a telephone call is not."""

LONGEST = timedelta(hours=12)
"""The longest shift. A stolen cookie ends with it."""

STEP = timedelta(minutes=1)
"""How exactly the last page is known: a session is written once a minute at most."""

SINCE, SEEN, ENDED = "staff_since", "staff_seen", "staff_ended"


def end_if_timed_out(request: HttpRequest, user: Any) -> bool:
    """End the login of the session if its time is over; whether it was. Notes that somebody was here otherwise.

    One query for those who work at the desk, none for others.
    """
    if not (user.is_staff or user.is_superuser):
        return False
    now = database_now()
    since, seen = _instant(request, SINCE), _instant(request, SEEN)
    if since is None or seen is None:  # from before there was a time-out
        request.session[SINCE] = request.session[SEEN] = now.isoformat()
        return False
    why = "longest" if now - since >= LONGEST else "idle" if now - seen >= IDLE else ""
    if why:
        # Not ``logout``: it asks who is logged in, which is what is being found out.
        request.session.flush()
        request.session[ENDED] = why
        return True
    if now - seen >= STEP and is_by_hand(request):
        request.session[SEEN] = now.isoformat()
    return False


def is_by_hand(request: HttpRequest) -> bool:
    """Whether a person asks. What a page's script fetches by itself does not show that somebody is there."""
    return request.method == "POST" or request.headers.get("Sec-Fetch-Dest", "document") != "empty"


def note_start(*, request: HttpRequest, user: Any, **_told: Any) -> None:
    """A receiver of ``user_logged_in``: from now on the time runs."""
    if user.is_staff or user.is_superuser:
        request.session[SINCE] = request.session[SEEN] = database_now().isoformat()


def is_fresh(request: HttpRequest, *, within: timedelta) -> bool:
    """Whether the password was given no longer ago than that. One query."""
    since = _instant(request, SINCE)
    return since is not None and database_now() - since <= within


def why_it_ended(request: HttpRequest) -> str:
    """A sentence for who was logged out by the time, once; empty for everybody else."""
    request.user.is_authenticated  # noqa: B018  (only now is it known whether the time is over)
    why = request.session.pop(ENDED, "")
    if why == "idle":
        minutes = int(IDLE.total_seconds() // 60)
        return _("You were logged out, as nobody was here for %(n)d minutes. Log in to go on.") % {"n": minutes}
    if why == "longest":
        hours = int(LONGEST.total_seconds() // 3600)
        return _("You were logged out after %(n)d hours. Log in to go on.") % {"n": hours}
    return ""


def _instant(request: HttpRequest, name: str) -> datetime | None:
    text = request.session.get(name)
    return datetime.fromisoformat(text) if text else None
