"""What a page's scripts may ask of the device: nothing, unless the page itself says more."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

NOTHING = "camera=(), microphone=(), geolocation=()"


class PermissionsPolicyMiddleware:
    """Sets the Permissions-Policy of every answer that has none; the door's scanner brings its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", NOTHING)
        return response
