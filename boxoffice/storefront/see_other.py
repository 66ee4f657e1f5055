"""The answer to a form that was accepted: go and look there."""

from __future__ import annotations

from django.http import HttpResponseRedirect


class SeeOther(HttpResponseRedirect):
    """303: the browser fetches the new page with GET, and loading that page again sends no form."""

    status_code = 303
