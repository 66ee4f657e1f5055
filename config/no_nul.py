"""Addresses with a NUL character are turned away: PostgreSQL has no place for one, and the page would fail over it."""

from __future__ import annotations

from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse


class NoNulMiddleware:
    """Answers 400 to a query with a NUL. Nobody types one; forms look at what they are sent themselves."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("There is a NUL character in the query.")
        return self.get_response(request)
