"""Shows with what staff may do to them. Inventory makes and shows them; who has bought seats is known here."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path

from boxoffice.models import ShowAction
from boxoffice.shows.aside_page import PERMISSION as ASIDE_PERMISSION
from boxoffice.shows.aside_page import aside_page
from inventory.admin import ShowAdmin
from inventory.models import Show


class DeskShowAdmin(ShowAdmin):
    """The list, one show with its trail, and the pages about it."""

    change_form_template = "admin/inventory/show/change_form.html"

    class Media:
        css = {"all": ("boxoffice/css/support.css", "boxoffice/css/shows.css")}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        offered = {
            "may_put_aside": request.user.has_perm(ASIDE_PERMISSION),
            "done_by_hand": ShowAction.objects.filter(show_id=int(object_id)).order_by("-pk")[:20]
            if object_id.isdecimal()
            else (),
        }
        return super().change_view(request, object_id, form_url, {**offered, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:show_id>/aside/", view(partial(aside_page, self)), name="inventory_show_aside"),
            *super().get_urls(),
        ]


admin.site.unregister(Show)
admin.site.register(Show, DeskShowAdmin)
