"""What stands for a browser when its holds of a show are counted: no name, and another one at each show."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from django.utils.crypto import salted_hmac

_SALT = "boxoffice.storefront.browser"


def browser_of(request: HttpRequest, *, show_id: int) -> UUID | None:
    """Derived from the secret against forged forms, which every browser that sends a form has; None without one.

    It proves nothing and opens nothing: it only tells that two forms come from one browser. Who throws his cookies
    away is another browser; against him stands the limit for each address (``tickets_per_buyer``). It cannot be traced
    back to the cookie, nor from one show to another.
    """
    secret = request.META.get("CSRF_COOKIE")
    if not secret:
        return None
    return UUID(bytes=salted_hmac(_SALT, f"{show_id} {secret}", algorithm="sha256").digest()[:16])
