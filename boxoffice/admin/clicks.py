"""The page of clicks on tracked links."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import capfirst

from boxoffice.links.clicks_form import ClicksForm
from boxoffice.links.clicks_page import look_over_clicks
from boxoffice.links.whose_clicks import SEES_ALL, links_counted_for
from boxoffice.sales import whose_shows
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.clock import database_now
from snip.models import ClickDay

REFRESH_SECONDS = 30


@admin.register(ClickDay)
class ClicksAdmin(ReadOnlyAdmin):
    """Not a list of rows: one page."""

    class Media:
        css = {"all": ("boxoffice/css/sales.css",)}
        js = ("boxoffice/js/sales.js",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        links = links_counted_for(request.user)
        sees_all = request.user.has_perm(SEES_ALL)
        form = ClicksForm(request.GET, links=links, now=database_now())
        sees_sales = request.user.has_perm(whose_shows.SEES)
        page = look_over_clicks(
            asked=form.asked_clicks(),
            links=links,
            sees_all=sees_all,
            shows=whose_shows.shows_seen_by(request.user) if sees_sales else None,
            sees_all_shows=request.user.has_perm(whose_shows.SEES_ALL),
        )
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "form": form,
            "clicks": page,
            "sees_all": sees_all,
            "refresh_seconds": REFRESH_SECONDS,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/snip/clickday/clicks.html", context)

    def get_object(self, *_: Any, **__: Any) -> None:
        """None has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A row has no page of its own."""
        return HttpResponseRedirect(reverse("admin:snip_clickday_changelist"))
