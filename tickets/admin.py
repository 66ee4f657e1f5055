"""Tickets for staff to read; nothing is changed here."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.personal import masked_name, may_see_personal_data
from tickets.codes import typed
from tickets.models import Scan, Ticket


class ScanInline(admin.TabularInline):
    """What doors did with the ticket, oldest first."""

    model = Scan
    fields = ("at", "door", "by", "result", "proven", "reason")
    readonly_fields = fields
    verbose_name_plural = _("At the door")
    extra = 0
    can_delete = False

    def get_fields(self, request: HttpRequest, obj: Ticket | None = None) -> tuple[str, ...]:
        """What somebody wrote at the door names the guest as often as not."""
        return self.fields if may_see_personal_data(request.user) else self.fields[:-1]

    def has_add_permission(self, request: HttpRequest, obj: Ticket | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Ticket | None = None) -> bool:
        return False


@admin.register(Ticket)
class TicketAdmin(MaskedRowsAdmin):
    """A ticket and how it stands. The file is reached through its order."""

    list_display = ["printed_code", "order_code", "show", "seat", "holder_name", "status", "issued_at"]
    list_filter = ["status"]
    list_select_related = ["show", "seat"]
    search_fields = ["code", "order_code", "holder_name"]
    search_help_text = _("The ticket’s code (with or without the dash), the order’s code, or a name.")
    personal = {"holder_name": masked_name}
    found_whole = ("holder_name",)
    ordering = ["-id"]
    inlines = [ScanInline]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Ticket], search_term: str
    ) -> tuple[QuerySet[Ticket], bool]:
        """A code is found however it was typed."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        if search_term.strip():
            found |= queryset.filter(code=typed(search_term))
        return found, may_repeat
