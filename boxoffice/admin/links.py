"""The pages of links. The list is Django's; what is done to a link has pages of ours (``boxoffice/links``)."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from boxoffice.links.export_links import export_links
from boxoffice.links.form_page import add_page, edit_page
from boxoffice.links.import_page import import_page
from boxoffice.links.link_desk import address_of_link
from boxoffice.links.link_page import aliases_page, link_page
from boxoffice.links.link_words import codes_of, how_it_does
from boxoffice.links.qr_files import qr_file
from boxoffice.links.verb_pages import BLOCK, DELETE, UNBLOCK, verb_page
from boxoffice.links.whose_links import SEES_ALL, links_seen_by
from jobs.admin.bounded_pages import BoundedPaginator
from jobs.admin.moments import relatively
from jobs.admin.read_only import SturdyAdmin
from jobs.admin.subjects import link_subjects
from jobs.clock import DatabaseNow
from snip.links.short_address import printed_address
from snip.models import Link

LONGEST_TARGET = 60
"""Characters of a target that a row shows; its page shows it whole."""


@admin.register(Link)
class LinkAdmin(SturdyAdmin):
    """Everybody sees his own, and who may see all of them sees whose they are."""

    actions = None
    list_per_page = 50
    ordering = ("-id",)
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    search_fields = ("codes__code", "label", "target")
    search_help_text = _("Code, word, name, or a part of the target.")
    change_list_template = "admin/snip/link/change_list.html"

    class Media:
        css = {"all": ("jobs/css/ledger.css", "boxoffice/css/support.css", "boxoffice/css/links.css")}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        links = links_seen_by(request.user).select_related("owner").prefetch_related("codes")
        # Ordered here as well: choices that complete themselves come from it, page by page.
        return links.annotate(now=DatabaseNow()).order_by(*self.ordering)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        whose = ("whose",) if request.user.has_perm(SEES_ALL) else ()
        return ("address", "name", "leads_to", "doing", *whose, "made")

    def get_list_filter(self, request: HttpRequest) -> tuple[str, ...]:
        return ("state",)

    @admin.display(description=_("link"), ordering="id")
    def address(self, link: Link) -> SafeString:
        return format_html_join(SafeString("<br>"), "{}", ((printed_address(code),) for code in codes_of(link)))

    @admin.display(description=_("name"), ordering="label")
    def name(self, link: Link) -> SafeString | str:
        return format_html("<bdi>{}</bdi>", link.label) if link.label else "–"

    @admin.display(description=_("target"), ordering="target")
    def leads_to(self, link: Link) -> SafeString:
        shown = link.target.removeprefix("https://")
        cut = shown if len(shown) <= LONGEST_TARGET else f"{shown[: LONGEST_TARGET - 1]}…"
        return format_html('<span class="link-target" title="{}">{}</span>', link.target, cut)

    @admin.display(description=_("state"), ordering="state")
    def doing(self, link: Any) -> SafeString:
        doing = how_it_does(link, now=link.now)
        return format_html('<span class="chip {}">{}</span>', doing.mark, doing.words)

    @admin.display(description=_("owner"), ordering="owner__username")
    def whose(self, link: Link) -> str:
        return link.owner.get_username() if link.owner else "–"

    @admin.display(description=_("made"), ordering="created_at")
    def made(self, link: Any) -> SafeString:
        return relatively(link.created_at, link.now)

    def get_urls(self) -> list[URLPattern]:
        def ours(route: str, page: Any, name: str) -> URLPattern:
            return path(route, self.admin_site.admin_view(page), name=f"snip_link_{name}")

        return [
            ours("import/", partial(import_page, self), "import"),
            ours("export/", export_links, "export"),
            ours("<int:link_id>/edit/", partial(edit_page, self), "edit"),
            ours("<int:link_id>/words/", partial(aliases_page, self), "words"),
            ours("<int:link_id>/block/", partial(verb_page, self, verb=BLOCK), "block"),
            ours("<int:link_id>/unblock/", partial(verb_page, self, verb=UNBLOCK), "unblock"),
            ours("<int:link_id>/qr.svg", partial(qr_file, kind="svg"), "qr_svg"),
            ours("<int:link_id>/qr.png", partial(qr_file, kind="png"), "qr_png"),
            *super().get_urls(),
        ]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return add_page(self, request)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return link_page(self, request, _number(object_id))

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return verb_page(self, request, _number(object_id), verb=DELETE)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Its trail stands on its page."""
        link_page(self, request, _number(object_id))
        return HttpResponseRedirect(f"{address_of_link(_number(object_id))}#trail")


def _number(object_id: str) -> int:
    if not object_id.isdecimal() or len(object_id) > 18:
        raise Http404
    return int(object_id)


def _page_of(request: HttpRequest, name: str) -> str | None:
    if not name.isdecimal() or len(name) > 18 or not links_seen_by(request.user).filter(pk=name).exists():
        return None
    return address_of_link(int(name))


link_subjects(kind="link", address=_page_of)
