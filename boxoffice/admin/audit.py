"""The page that tells who did what: all audit trails together. Nothing can be changed on it, by nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from boxoffice.audit.read_trails import PAGE, Asked, AuditEntry, read_trails
from boxoffice.audit.trails import TRAILS, did_in_words, reason_in_words
from boxoffice.models import AuditTrail
from boxoffice.typed_day import day_field
from jobs.admin.moments import exactly
from jobs.admin.read_only import ReadOnlyAdmin
from jobs.admin.subjects import address_of
from jobs.clock import database_now
from jobs.personal import text_for

LONGEST = 200


class AuditForm(forms.Form):
    """What to look for."""

    by = forms.CharField(label=_("Who"), max_length=150, required=False)
    day = day_field(label=_("Day (UTC)"), required=False)
    trail = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("All")), *((each.name, each.label) for each in TRAILS)]
    )
    about = forms.CharField(
        label=_("About"), max_length=LONGEST, required=False, widget=forms.TextInput(attrs={"placeholder": "order:…"})
    )
    older_than = forms.CharField(max_length=LONGEST, required=False, widget=forms.HiddenInput)


@dataclass(frozen=True)
class AuditRow:
    """An entry as the page shows it to one user. link: the page of what it is about, where there is one for him."""

    when: SafeString
    by: str
    kind: str | Promise
    did: str
    about: str
    link: str | None
    reason: str


@admin.register(AuditTrail)
class AuditTrailAdmin(ReadOnlyAdmin):
    """One page, which reads all trails."""

    class Media:
        css = {"all": ("boxoffice/css/support.css", "boxoffice/css/staff.css")}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        form = AuditForm(request.GET)
        entries = read_trails(asked=Asked(**_given(form)), limit=PAGE + 1)
        shown, more = entries[:PAGE], len(entries) > PAGE
        now = database_now()
        context = {
            **self.admin_site.each_context(request),
            "title": capfirst(str(self.opts.verbose_name_plural)),
            "opts": self.opts,
            "media": self.media,
            "form": form,
            "rows": [_row(request, entry, now) for entry in shown],
            "older": f"?{urlencode({**_typed(form), 'older_than': shown[-1].place})}" if more else "",
            "newest": f"?{urlencode(_typed(form))}" if request.GET.get("older_than") else "",
            "now": now,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/boxoffice/audittrail/list.html", context)

    def get_object(self, *_given: Any, **_named: Any) -> None:
        """No entry has a page of its own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:boxoffice_audittrail_changelist"))


def _given(form: AuditForm) -> dict[str, Any]:
    """What was typed and can be looked for; the rest stands beside its field with the reason."""
    form.is_valid()
    return {name: value for name, value in form.cleaned_data.items() if value}


def _typed(form: AuditForm) -> dict[str, str]:
    given = _given(form)
    return {name: str(value) for name, value in given.items() if name != "older_than"}


def _row(request: HttpRequest, entry: AuditEntry, now: Any) -> AuditRow:
    def shown(text: str) -> str:
        return text_for(request.user, text, name=entry.fan, address=entry.address)

    return AuditRow(
        when=exactly(entry.at, now),
        by=entry.by,
        kind=next(trail.label for trail in TRAILS if trail.name == entry.trail),
        did=did_in_words(trail=entry.trail, did=entry.did),
        about=shown(entry.about),
        link=_link(request, entry),
        reason=shown(reason_in_words(trail=entry.trail, did=entry.did, reason=entry.reason)),
    )


def _link(request: HttpRequest, entry: AuditEntry) -> str | None:
    kind, _, number = entry.about.partition(":")
    if kind == "job" and number.isdecimal() and request.user.has_perm("jobs.view_job"):
        return reverse("admin:jobs_job_change", args=[int(number)])
    return address_of(request, entry.about)
