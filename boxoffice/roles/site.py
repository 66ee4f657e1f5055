"""The support desk: Django's admin, which asks for a second factor and says why somebody was logged out."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, URLResolver, path
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from boxoffice.roles.halfway import halfway_user
from boxoffice.roles.next_page import next_page
from boxoffice.roles.time_out import why_it_ended

FIRST = (
    "boxoffice",
    "boxoffice.Order",
    "boxoffice.Attention",
    "boxoffice.Takings",
    "inventory",
    "inventory.Show",
    "inventory.Hold",
    "snip",
    "snip.Link",
    "snip.ClickDay",
    "tickets",
    "notifications",
    "jobs",
    "jobs.QueueLoad",
    "jobs.DeadJob",
    "jobs.Job",
    "django_celery_beat",
    "django_celery_beat.PeriodicTask",
    "auth",
)
"""The order of apps on the desk's first page and at its side, and of what is looked for most in each; others follow."""


class DeskSite(AdminSite):
    """``admin.site``, by ``boxoffice/roles/admin_config.py``."""

    index_title = _("What do you want to do?")

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """Django's, in the order of ``FIRST``."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        for app in apps:
            app["models"].sort(key=lambda model: _place(f"{app['app_label']}.{model['object_name']}"))
        return sorted(apps, key=lambda app: _place(app["app_label"]))

    def get_urls(self) -> list[URLResolver | URLPattern]:
        from boxoffice.roles.second_factor import pages

        # Not behind ``admin_view``: who comes here has given a password and is nobody yet.
        return [
            path("second-factor/", pages.ask_page, name="second_factor"),
            path("second-factor/set-up/", pages.set_up_page, name="second_factor_set_up"),
            path("second-factor/recovery-codes/", pages.codes_page, name="recovery_codes"),
            *super().get_urls(),
        ]

    @method_decorator(never_cache)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Django's page; whoever has given his password already goes on to the second factor."""
        if request.method == "GET" and halfway_user(request) is not None:
            return HttpResponseRedirect(next_page(request, "admin:second_factor"))
        ended = why_it_ended(request)
        if ended:
            messages.warning(request, ended)
        return super().login(request, extra_context)


def _place(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)
