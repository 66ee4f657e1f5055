"""Where somebody wanted to go before he had to say who he is."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


def wanted_page(request: HttpRequest, *, otherwise: str = "admin:index") -> str:
    """The address in ``next``, or that of the page ``otherwise`` where there is none or it is of another site."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else reverse(otherwise)


def next_page(request: HttpRequest, name: str, *, otherwise: str = "admin:index") -> str:
    """The address of the page called ``name``, with where to go after it."""
    return f"{reverse(name)}?{urlencode({'next': wanted_page(request, otherwise=otherwise)})}"
