"""Turns away whoever is locked out, before any password is looked at."""

from __future__ import annotations

from typing import Any

from axes.backends import AxesStandaloneBackend
from django.http import HttpRequest


class LockoutBackend(AxesStandaloneBackend):
    """django-axes' own. What no browser asks for, such as a command or a test, has no address and is not counted."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **kwargs: Any
    ) -> None:
        if request is not None and username is not None:
            super().authenticate(request, username=username, password=password, **kwargs)
