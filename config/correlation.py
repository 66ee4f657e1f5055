"""One id that follows a fan's request through all the jobs that it causes."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

from django.http import HttpRequest, HttpResponse
from structlog.contextvars import bound_contextvars

_ACCEPTABLE = re.compile(r"[A-Za-z0-9-]{8,64}")


class CorrelationMiddleware:
    """Takes the caller's X-Request-ID if it is well formed, else makes one, and answers with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        correlation_id = given if _ACCEPTABLE.fullmatch(given) else uuid4().hex
        with bound_contextvars(correlation_id=correlation_id):
            response = self.get_response(request)
        response["X-Request-ID"] = correlation_id
        return response
