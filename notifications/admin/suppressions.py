"""Addresses that get no bulk mail, and the button that lets it go there again."""

from __future__ import annotations

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
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.admin.read_only import in_utc
from jobs.admin.reason_form import ReasonForm
from jobs.personal import address_for, masked_address
from jobs.redact import for_eyes
from notifications.models import Suppression
from notifications.suppression.lift_suppression import lift_suppression


class InForceFilter(admin.SimpleListFilter):
    """Those in force, unless others are asked for."""

    title = _("lifted")
    parameter_name = "lifted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Lifted")), ("all", _("All"))]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield {**first, "display": _("In force")}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Suppression]) -> QuerySet[Suppression]:
        if self.value() == "all":
            return queryset
        return queryset.filter(lifted_at__isnull=self.value() != "yes")


@admin.register(Suppression)
class SuppressionAdmin(MaskedRowsAdmin):
    """Only lifted, one at a time, with a reason; an event of the mail provider makes them."""

    class Media:
        css = {"all": ("notifications/css/lists.css",)}

    list_display = ("address", "reason", "detail", "since", "lifted")
    list_filter = (InForceFilter, "reason")
    search_fields = ("address",)
    personal = {"address": masked_address, "detail": for_eyes, "lifted_reason": for_eyes}
    found_whole = ("address",)
    ordering = ("-id",)
    show_full_result_count = False
    change_form_template = "admin/notifications/suppression.html"
    readonly_fields = ("since", "mail", "lifted")
    fieldsets = ((None, {"fields": ("address", "reason", "detail", "since", "mail", "lifted")}),)

    @admin.display(description=_("since (UTC)"), ordering="id")
    def since(self, suppression: Suppression) -> SafeString:
        return in_utc(suppression.created_at)

    @admin.display(description=_("notification"))
    def mail(self, suppression: Suppression) -> SafeString:
        address = reverse("admin:notifications_notification_change", args=[suppression.notification_id])
        return format_html('<a href="{}">{}</a>', address, suppression.notification_id)

    @admin.display(description=_("lifted"))
    def lifted(self, suppression: Suppression) -> str:
        if suppression.lifted_at is None:
            return "–"
        who, why = suppression.lifted_by, suppression.lifted_reason
        return format_html("{}<br>{}<br>{}", in_utc(suppression.lifted_at), who, why)

    def has_lift_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("notifications.lift_suppression")

    def get_urls(self) -> list[URLPattern]:
        lift = self.admin_site.admin_view(self.lift)
        return [path("<int:number>/lift/", lift, name="notifications_suppression_lift"), *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django's page, with the button."""
        suppression = self.get_object(request, object_id)
        in_force = suppression is not None and suppression.lifted_at is None
        context = {"may_lift": in_force and self.has_lift_permission(request), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def lift(self, request: HttpRequest, number: int) -> HttpResponse:
        """Ask (GET), or do it and say what was done (POST)."""
        if not self.has_lift_permission(request):
            raise PermissionDenied
        suppression = Suppression.objects.filter(pk=number, lifted_at__isnull=True).first()
        if suppression is None:
            self.message_user(request, gettext("It is not in force any more; nothing was changed."), messages.WARNING)
            return self._back()
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if request.method != "POST" or not form.is_valid():
            return self._ask(request, suppression, form)
        by, reason = request.user.get_username(), form.cleaned_data["reason"]
        if lift_suppression(address=suppression.address, by=by, reason=reason):
            words = gettext("Bulk mail goes to %(address)s again.") % self._named(request, suppression)
            self.message_user(request, words, messages.SUCCESS)
        else:  # somebody else was quicker
            self.message_user(request, gettext("It is not in force any more; nothing was changed."), messages.WARNING)
        return self._back()

    def _ask(self, request: HttpRequest, suppression: Suppression, form: ReasonForm) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": gettext("Let bulk mail go to %(address)s again?") % self._named(request, suppression),
            "opts": self.opts,
            "suppression": suppression,
            "form": form,
        }
        return TemplateResponse(request, "admin/notifications/lift_suppression.html", context)

    def _named(self, request: HttpRequest, suppression: Suppression) -> dict[str, str]:
        return {"address": address_for(request.user, suppression.address)}

    def _back(self) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:notifications_suppression_changelist"))
