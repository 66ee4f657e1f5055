"""What somebody reads who is locked out."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _


def locked_out(
    request: HttpRequest, original_response: HttpResponse | None = None, credentials: dict[str, Any] | None = None
) -> HttpResponse:
    """A page that says how long to wait and whom to ask, at the door as at the desk. Status 429."""
    at_the_door = request.path == reverse("door_login")
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    context = {
        "title": _("Too many failed attempts"),
        "minutes": minutes,
        "back": request.get_full_path(),
        **({} if at_the_door else admin.site.each_context(request)),
    }
    template = "boxoffice/door/locked_out.html" if at_the_door else "admin/locked_out.html"
    response = render(request, template, context, status=429)
    response.headers["Retry-After"] = str(minutes * 60)
    response.headers["Cache-Control"] = "no-store"
    return response
