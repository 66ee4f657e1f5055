"""Messages that the ledger knows nothing of: to look at, and to put aside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.chosen_jobs import MAX_AT_ONCE
from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.admin.read_only import in_utc
from jobs.admin.reason_form import ReasonForm
from jobs.dead.discard_letters import discard_dead_letters
from jobs.models import DeadLetter
from jobs.redact import for_eyes, for_staff


class OpenFilter(admin.SimpleListFilter):
    """The open ones, unless others are asked for."""

    title = _("discarded")
    parameter_name = "discarded"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Discarded")), ("all", _("All"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": _("Open")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[DeadLetter]) -> QuerySet[DeadLetter]:
        if self.value() == "all":
            return queryset
        return queryset.filter(discarded_at__isnull=self.value() != "yes")


def _without_secrets(body: str) -> str:
    """What the message said, where it is JSON without the values of telling keys."""
    try:
        return json.dumps(for_staff(json.loads(body)), ensure_ascii=False)
    except ValueError:
        return for_eyes(body)


@admin.register(DeadLetter)
class DeadLetterAdmin(MaskedRowsAdmin):
    personal = {"headers": for_staff, "body": _without_secrets, "discarded_reason": for_eyes}
    list_display = ("reason", "queue", "seen", "last_seen", "discarded")
    list_filter = (OpenFilter, "reason", "queue")
    ordering = ("-last_seen_at",)
    show_full_result_count = False
    actions = ("discard_selected",)
    change_list_template = "admin/jobs/dead_letters.html"
    change_form_template = "admin/jobs/dead_letter_page.html"
    readonly_fields = ("seen", "first_seen", "last_seen", "discarded", "sent_headers", "sent_body")
    fieldsets = (
        (None, {"fields": ("reason", "queue", "seen", "first_seen", "last_seen", "discarded")}),
        (_("Message"), {"fields": ("sent_headers", "sent_body", "digest")}),
    )

    class Media:
        css = {"all": ("jobs/css/ledger.css",)}

    @admin.display(description=_("seen"), ordering="times_seen")
    def seen(self, letter: DeadLetter) -> str:
        return f"{letter.times_seen} ×"

    @admin.display(description=_("first seen (UTC)"), ordering="first_seen_at")
    def first_seen(self, letter: DeadLetter) -> SafeString:
        return in_utc(letter.first_seen_at)

    @admin.display(description=_("last seen (UTC)"), ordering="last_seen_at")
    def last_seen(self, letter: DeadLetter) -> SafeString:
        return in_utc(letter.last_seen_at)

    @admin.display(description=_("discarded"), empty_value="–")
    def discarded(self, letter: DeadLetter) -> SafeString | None:
        if letter.discarded_at is None:
            return None
        when = in_utc(letter.discarded_at)
        return format_html(
            '{}<br>{}<br><span class="quiet">{}</span>', when, letter.discarded_by, letter.discarded_reason
        )

    @admin.display(description=_("headers"))
    def sent_headers(self, letter: DeadLetter) -> SafeString:
        return format_html('<pre class="code">{}</pre>', json.dumps(letter.headers, indent=2, ensure_ascii=False))

    @admin.display(description=_("body"))
    def sent_body(self, letter: DeadLetter) -> SafeString:
        return format_html('<pre class="code">{}</pre>', letter.body)

    @admin.action(description=_("Discard…"), permissions=["discard"])
    def discard_selected(self, request: HttpRequest, queryset: QuerySet[DeadLetter]) -> HttpResponse:
        letters = queryset.filter(discarded_at__isnull=True).order_by("pk")[:MAX_AT_ONCE]
        return self._ask(request, list(letters.values_list("pk", flat=True)), ReasonForm())

    def has_discard_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("jobs.discard_deadletter")

    def get_urls(self) -> list[URLPattern]:
        discard = self.admin_site.admin_view(self.discard)
        return [path("discard/", discard, name="jobs_deadletter_discard"), *super().get_urls()]

    def discard(self, request: HttpRequest) -> HttpResponse:
        """Ask (GET), or do it and say what was done (POST)."""
        if not self.has_discard_permission(request):
            raise PermissionDenied
        typed = request.POST if request.method == "POST" else request.GET
        given = typed.get("letters", "").split(",")[:MAX_AT_ONCE]
        letter_ids = [int(number) for number in given if number.isdecimal() and len(number) < 19]
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if request.method != "POST" or not form.is_valid():
            return self._ask(request, letter_ids, form)
        reason = form.cleaned_data["reason"]
        done = discard_dead_letters(letter_ids=letter_ids, by=request.user.get_username(), reason=reason)
        if done:
            words = ngettext("%(n)d dead letter was discarded.", "%(n)d dead letters were discarded.", done)
            self.message_user(request, words % {"n": done}, messages.SUCCESS)
            return self._back()
        return self._nothing_to_do(request)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = capfirst(str(self.opts.verbose_name_plural))
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's page, with the button."""
        letter = self.get_object(request, object_id)
        is_open = letter is not None and letter.discarded_at is None
        context = {"may_discard": is_open and self.has_discard_permission(request), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def _ask(self, request: HttpRequest, letter_ids: list[int], form: ReasonForm) -> HttpResponse:
        letters = DeadLetter.objects.filter(pk__in=letter_ids, discarded_at__isnull=True).order_by("-last_seen_at")
        found = list(letters)
        if not found:
            return self._nothing_to_do(request)
        words = ngettext("Discard %(n)d dead letter?", "Discard %(n)d dead letters?", len(found))
        context = {
            **self.admin_site.each_context(request),
            "title": words % {"n": len(found)},
            "opts": self.opts,
            "media": self.media,
            "letters": found,
            "numbers": ",".join(str(letter.pk) for letter in found),
            "form": form,
        }
        return TemplateResponse(request, "admin/jobs/confirm_dead_letters.html", context)

    def _nothing_to_do(self, request: HttpRequest) -> HttpResponse:
        words = gettext("None of these dead letters is open any more; nothing was changed.")
        self.message_user(request, words, messages.WARNING)
        return self._back()

    def _back(self) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:jobs_deadletter_changelist"))
