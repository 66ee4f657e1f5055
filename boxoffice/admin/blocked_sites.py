"""The list of sites that no link may lead to. Changed by pages of ours (``boxoffice/links/sites_pages.py``)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from boxoffice.links.sites_pages import LIFT, SITES, block_page, lift_page
from jobs.admin.bounded_pages import BoundedPaginator
from jobs.admin.moments import relatively
from jobs.admin.read_only import SturdyAdmin
from jobs.clock import DatabaseNow
from snip.models import BlockedSite


@admin.register(BlockedSite)
class BlockedSiteAdmin(SturdyAdmin):
    """A row is added or taken away, never changed."""

    actions = None
    list_per_page = 100
    list_display_links = None
    ordering = ("host",)
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ("host", "why")
    search_help_text = _("Site or reason.")
    change_list_template = "admin/snip/blockedsite/change_list.html"

    class Media:
        css = {"all": ("jobs/css/ledger.css", "boxoffice/css/support.css", "boxoffice/css/links.css")}

    def get_queryset(self, request: HttpRequest) -> QuerySet[BlockedSite]:
        return super().get_queryset(request).annotate(now=DatabaseNow())

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        lift = ("lift",) if request.user.has_perm(LIFT) else ()
        return ("site", "reason", "added_by", "since", *lift)

    @admin.display(description=_("site"), ordering="host")
    def site(self, site: BlockedSite) -> SafeString:
        return format_html('<strong class="link-whole">{}</strong>', site.host)

    @admin.display(description=_("reason"))
    def reason(self, site: BlockedSite) -> SafeString:
        return format_html("<bdi>{}</bdi>", site.why)

    @admin.display(description=_("since"), ordering="added_at")
    def since(self, site: Any) -> SafeString:
        return relatively(site.added_at, site.now)

    @admin.display(description="")
    def lift(self, site: BlockedSite) -> SafeString:
        address = reverse("admin:snip_blockedsite_delete", args=[site.host])
        words = _("Lift the block…")
        return format_html('<a href="{}">{}<span class="visually-hidden"> {}</span></a>', address, words, site.host)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return block_page(self, request)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return lift_page(self, request, object_id)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A row has no page of its own."""
        return HttpResponseRedirect(reverse(SITES))

    def get_object(self, *_: Any, **__: Any) -> None:
        """None has a page of its own, nor one of Django's history: the reasons are told where staff's actions are."""
