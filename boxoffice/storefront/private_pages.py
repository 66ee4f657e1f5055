"""Pages that one fan may see and nobody else: whoever knows the secret in their address."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import patch_cache_control

View = Callable[..., HttpResponseBase]


def private_page(*, referrer: str = "same-origin") -> Callable[[View], View]:
    """Marks a view's answers: kept by no cache, listed by no search engine, named to no other site.

    referrer: the Referrer-Policy. "no-referrer" is stricter towards this site itself, but then browsers send
    ``Origin: null`` with a form, which the CSRF check must refuse: it is for pages without forms only.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            response = view(request, *args, **kwargs)
            patch_cache_control(response, no_store=True, private=True)
            response.headers["Referrer-Policy"] = referrer
            response.headers["X-Robots-Tag"] = "noindex"
            return response

        return answer

    return decorate
