"""Who may stand at the door, and what only its pages may do."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import gettext as _

PERMISSION = "tickets.scan_ticket"

CAMERA = "camera=(self), microphone=(), geolocation=()"
"""What the scanner's page may ask of the device; every other page's scripts may ask for nothing."""

View = Callable[..., HttpResponseBase]


def wants_json(request: HttpRequest) -> bool:
    """Whether the page's script asks, and no person's browser."""
    return request.headers.get("Accept") == "application/json"


def door_page(view: View) -> View:
    """A page for a person with the permission, kept by no cache."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs) if request.user.has_perm(PERMISSION) else _turn_away(request)
        patch_cache_control(response, no_store=True, private=True)
        patch_vary_headers(response, ["Accept"])
        response.headers["X-Robots-Tag"] = "noindex"
        return response

    return answer


def _turn_away(request: HttpRequest) -> HttpResponseBase:
    """To the login; who is logged in and may not scan reads so."""
    known = request.user.is_authenticated
    if wants_json(request):
        words = _("This login may not scan tickets.") if known else _("The login is over. Load this page again.")
        return JsonResponse({"problem": words}, status=403 if known else 401)
    if known:
        return render(request, "boxoffice/door/not_allowed.html", status=403)
    return redirect_to_login(request.get_full_path(), reverse("door_login"))
