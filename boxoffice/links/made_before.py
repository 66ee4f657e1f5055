"""A page that makes something draws a number, which a session remembers: the form sent twice makes it once.

Two presses within the same moment both get through to the session; the page's script lets only one of them out.
"""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest

REMEMBERED = 20
"""Numbers of a session, the last ones: who goes back further makes it anew, knowingly."""

_KEY = "links_made"


def was_made(request: HttpRequest, number: UUID | None) -> bool:
    return str(number) in request.session.get(_KEY, [])


def remember_made(request: HttpRequest, number: UUID | None) -> None:
    request.session[_KEY] = [*request.session.get(_KEY, []), str(number)][-REMEMBERED:]
