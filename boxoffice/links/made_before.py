"""A page that makes links draws a number, and the links keep it: the form sent twice makes them once.

Where both presses come within the same moment the database decides (``link_once_by_form``).
"""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

from boxoffice.links.whose_links import links_seen_by
from snip.models import Link


def made_with(request: HttpRequest, *, number: str) -> Link | None:
    """The first link that this number has made, if the login sees it; None where it has made none yet. One query."""
    try:
        drawn = UUID(number)
    except ValueError:
        return None
    return links_seen_by(request.user).filter(form_number=drawn).order_by("form_place").first()
