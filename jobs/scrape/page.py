"""``/metrics`` of the web process."""

from __future__ import annotations

from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs.scrape.access import bears_the_token
from jobs.scrape.processes import AnotherScrape
from jobs.scrape.render import CONTENT_TYPE, render


@require_safe
@never_cache
def metrics_page(request: HttpRequest) -> HttpResponse:
    """All metrics, for whoever bears METRICS_TOKEN, and for staff. Whoever bears it needs no database for that."""
    if not bears_the_token(request.headers.get("Authorization", "")):
        try:
            refusal = _refuse(request)
        except (DatabaseError, InterfaceError):
            refusal = _sentence(_("The database that knows you does not answer. Try again in a moment."), status=503)
        if refusal is not None:
            return refusal
    try:
        return HttpResponse(render(with_ledger=True), content_type=CONTENT_TYPE)
    except AnotherScrape as error:
        return _sentence(str(error), status=503)


def _refuse(request: HttpRequest) -> HttpResponse | None:
    user = request.user
    if user.is_active and user.is_staff:
        return None
    if user.is_authenticated:
        return _sentence(_("Only staff may see the metrics."), status=403)
    refusal = _sentence(_("Log in as staff, or send the token of METRICS_TOKEN as a bearer."), status=401)
    refusal["WWW-Authenticate"] = 'Bearer realm="metrics"'
    return refusal


def _sentence(text: str, *, status: int) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8")
