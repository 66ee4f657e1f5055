"""What fans read when something goes wrong: a sentence that says what to do, with the right status code."""

from __future__ import annotations

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError
from inventory.errors import InventoryError

# A restart of PostgreSQL takes about that long.
RETRY_AFTER_SECONDS = 10

# What services refuse with: as a type, and for "except".
Refusal = InventoryError | BoxOfficeError
REFUSALS = (InventoryError, BoxOfficeError)


class UnreadableForm(BoxOfficeError):
    __doc__ = gettext_noop("The form arrived damaged, and nothing was changed. Choose again and send it once more.")
    status_code = 400


def refuse(request: HttpRequest, *, error: Refusal) -> HttpResponse:
    """A page of its own for an error that belongs to no page with a form. Its status is the error's."""
    titles = {404: _("This page is not here"), 410: _("No longer valid")}
    title = titles.get(error.status_code, _("This did not work"))
    return render(request, "boxoffice/error.html", {"title": title, "words": error}, status=error.status_code)


def server_error(request: HttpRequest) -> HttpResponse:
    """The last resort (``handler500``): 503 and when to come back while the database is away, else 500."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        response = render(request, "503.html", status=503)
        response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
        return response
    # Without the request: what broke may be what reads the session or the user.
    at_the_desk = request.path.startswith("/admin/")
    return HttpResponse(render_to_string("500.html", {"desk": at_the_desk}), status=500)
