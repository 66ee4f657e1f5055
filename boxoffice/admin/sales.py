"""The page of sales, and whose shows are whose."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import capfirst

from boxoffice.exports.whose import may_export
from boxoffice.models import Export, Promotion, Takings
from boxoffice.roles.table import PROMOTER
from boxoffice.sales.asked import Asked, AskedForm
from boxoffice.sales.dashboard import look_over
from boxoffice.sales.whose_shows import SEES_ALL, shows_seen_by
from inventory.models import Show
from jobs.admin.read_only import ReadOnlyAdmin, SturdyAdmin
from jobs.clock import database_now

REFRESH_SECONDS = 30
"""As often as what was left uncounted is looked for."""


@admin.register(Takings)
class SalesAdmin(ReadOnlyAdmin):
    """Not a list of rows: one page."""

    class Media:
        css = {"all": ("boxoffice/css/sales.css",)}
        js = ("boxoffice/js/sales.js",)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        shows = shows_seen_by(request.user)
        sees_all = request.user.has_perm(SEES_ALL)
        form = AskedForm(request.GET, shows=shows, now=database_now())
        asked = form.asked()
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "form": form,
            "sales": look_over(asked=asked, shows=shows, sees_all=sees_all),
            "sees_all": sees_all,
            "has_none": not sees_all and not shows.exists(),
            "export": _as_a_file(request, asked),
            "refresh_seconds": REFRESH_SECONDS,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/boxoffice/takings/sales.html", context)

    def get_object(self, *_: Any, **__: Any) -> None:
        """None has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A row has no page of its own."""
        return HttpResponseRedirect(reverse("admin:boxoffice_takings_changelist"))


def _as_a_file(request: HttpRequest, asked: Asked) -> str:
    """The page of exports, about to export the takings that this page shows; empty for who may not have them."""
    if not request.user.has_perm("boxoffice.view_export") or not may_export(request.user, Export.Kind.TAKINGS):
        return ""
    place = {"show": asked.show.pk} if asked.show else {"venue": asked.venue.pk} if asked.venue else {}
    what = {"kind": Export.Kind.TAKINGS.value, "first": asked.first, "last": asked.last, **place}
    return f"{reverse('admin:boxoffice_export_changelist')}?{urlencode(what)}"


class PromotionForm(forms.ModelForm):
    """Of the logins only those of promoters are offered, by the group of that role."""

    class Meta:
        model = Promotion
        fields = ("show", "promoter")

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        promoters = get_user_model().objects.filter(groups__name=PROMOTER, is_active=True).order_by("username")
        for name, offered in (
            ("promoter", promoters),
            ("show", Show.objects.select_related("venue").order_by("-starts_at")),
        ):
            if name in self.fields:
                self.fields[name].queryset = offered  # type: ignore[attr-defined]


@admin.register(Promotion)
class PromotionAdmin(SturdyAdmin):
    """A row says that a show is a promoter's; it is added and taken away, and never changed into another."""

    form = PromotionForm
    list_display = ("show", "promoter", "since")
    list_select_related = ("show", "promoter")
    ordering = ("-show__starts_at", "promoter__username")
    search_fields = ("show__title", "promoter__username")

    def has_change_permission(self, request: HttpRequest, obj: Promotion | None = None) -> bool:
        return False
