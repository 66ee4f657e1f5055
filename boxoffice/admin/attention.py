"""What needs a human, the oldest first: who has it, what to do, and where it is mended."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from boxoffice.attention.errors import AttentionError
from boxoffice.attention.find_items import MOST, PAGE, count_items, find_item, find_items, sum_of
from boxoffice.attention.item_words import tell_items
from boxoffice.attention.kinds import Kind, kind_named, kinds_for
from boxoffice.attention.settle_item import settle_item
from boxoffice.attention.take_item import give_item_back, take_item
from boxoffice.models import Attention
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.reason_form import ReasonForm
from jobs.clock import database_now

PERMISSION = "boxoffice.take_attention"

RECENT = 20
"""Items that were settled by hand, on the page that lists those."""

WHOSE = (("", _("All")), ("nobody", _("Nobody's")), ("mine", _("Mine")))


@admin.register(Attention)
class AttentionAdmin(ReadOnlyAdmin):
    """Not a list of rows: one page of all that is wrong, whether or not it has a row."""

    class Media:
        css = {"all": ("boxoffice/css/support.css", "boxoffice/css/attention.css")}

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("take/", view(partial(_change, self, "take")), name="boxoffice_attention_take"),
            path("give-back/", view(partial(_change, self, "give back")), name="boxoffice_attention_give_back"),
            path("settle/", view(partial(_settle, self)), name="boxoffice_attention_settle"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        seen, now = kinds_for(request.user), database_now()
        chosen = next((kind for kind in seen if kind.name == request.GET.get("kind")), None)
        whose = next((name for name, _words in WHOSE if name == request.GET.get("whose")), "")
        place = _place(request.GET.get("from", ""))
        user = request.user.get_username()
        found = find_items(kinds=[chosen] if chosen else seen, whose=whose, user=user, offset=place)
        counts = count_items(kinds=seen)
        picked: dict[str, str] = {
            name: value for name, value in (("kind", chosen.name if chosen else ""), ("whose", whose)) if value
        }
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "rows": tell_items(items=found.items, request=request, now=now),
            "total": found.total,
            "all": sum_of(counts.values()) if counts else "",
            "most": MOST,
            "counted_attention": sum_of(counts.values()),
            "kinds": [(kind, counts[kind.name]) for kind in seen if kind.name in counts],
            "chosen": chosen,
            "whose": whose,
            "choices": WHOSE,
            "settled": _settled(seen) if request.GET.get("settled") else None,
            "may_take": request.user.has_perm(PERMISSION),
            "here": urlencode(picked),
            "more": urlencode({**picked, "from": str(place + PAGE)}) if found.total > place + PAGE else "",
            "back": urlencode({**picked, "from": str(max(place - PAGE, 0))}) if place else "",
            "now": now,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/boxoffice/attention/list.html", context)

    def get_object(self, *_given: Any, **_named: Any) -> None:
        """No item has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:boxoffice_attention_changelist"))


def _change(page: admin.ModelAdmin, verb: str, request: HttpRequest) -> HttpResponse:
    """Take an item or give it back (POST), and lead back to the list."""
    kind, key = _asked_item(request)
    if request.method == "POST":
        by = request.user.get_username()
        try:
            if verb == "take":
                take_item(kind=kind, key=key, by=by, from_owner=request.POST.get("from_owner", ""))
                words = gettext("You have taken it.")
            else:
                give_item_back(kind=kind, key=key, by=by)
                words = gettext("You have given it back.")
        except AttentionError as refusal:
            page.message_user(request, str(refusal), messages.WARNING)
        else:
            page.message_user(request, words, messages.SUCCESS)
    return _to_list(request)


def _settle(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """Ask why (GET), or settle it (POST)."""
    kind, key = _asked_item(request)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            settle_item(kind=kind, key=key, by=request.user.get_username(), reason=form.cleaned_data["reason"])
        except AttentionError as refusal:
            page.message_user(request, str(refusal), messages.WARNING)
        else:
            page.message_user(request, gettext("It is settled."), messages.SUCCESS)
        return _to_list(request)
    item = find_item(kind=kind, key=key) if kind.can_settle else None
    told = tell_items(items=[item], request=request, now=database_now()) if item else []
    if not told:
        words = gettext("This is settled already, or goes away when its cause is mended.")
        page.message_user(request, words, messages.WARNING)
        return _to_list(request)
    context = {
        **page.admin_site.each_context(request),
        "title": gettext("Settle this?"),
        "opts": page.opts,
        "media": page.media,
        "row": told[0],
        "form": form,
        "here": _where(request),
        "back_url": f"{reverse('admin:boxoffice_attention_changelist')}?{_where(request)}",
    }
    return TemplateResponse(request, "admin/boxoffice/attention/settle.html", context)


def _asked_item(request: HttpRequest) -> tuple[Kind, str]:
    """What the page is about. Who cannot mend its kind may not take it either."""
    typed = request.POST if request.method == "POST" else request.GET
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    kind, key = kind_named(typed.get("kind", "")), typed.get("key", "")
    if kind is None or "\x00" in key:
        raise Http404
    if not request.user.has_perm(kind.permission):
        raise PermissionDenied
    return kind, key


def _settled(seen: list[Kind]) -> list[tuple[Kind, Attention]]:
    """What was settled by hand last, of these kinds. One query, by attention_settled_newest_first."""
    by_name = {kind.name: kind for kind in seen}
    rows = Attention.objects.filter(settled_at__isnull=False, kind__in=by_name).order_by("-settled_at")[:RECENT]
    return [(by_name[row.kind], row) for row in rows]


def _where(request: HttpRequest) -> str:
    typed = request.POST if request.method == "POST" else request.GET
    known = {name: typed.get(f"at_{name}", "") for name in ("kind", "whose")}
    return urlencode({name: value for name, value in known.items() if value and len(value) < 40})


def _to_list(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(f"{reverse('admin:boxoffice_attention_changelist')}?{_where(request)}".rstrip("?"))


def _place(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
