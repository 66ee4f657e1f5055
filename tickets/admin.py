"""Tickets for staff to read; nothing is changed here."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from jobs.admin.masked_rows import MaskedRowsAdmin
from jobs.admin.subjects import address_of
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

    list_display = ["shown_code", "order_code", "show", "seat", "holder_name", "status", "issued_at"]
    list_filter = ["status"]
    list_select_related = ["show", "seat"]
    search_fields = ["code", "order_code", "holder_name"]
    search_help_text = _("The ticket’s code (with or without the dash), the order’s code, or a name.")
    personal = {"holder_name": masked_name}
    found_whole = ("holder_name",)
    ordering = ["-id"]
    inlines = [ScanInline]
    fields = [
        "order_link", "show", "seat", "shown_code", "holder_name", "language_in_words", "status", "void_reason",
        "issued_at", "created_at",
    ]  # fmt: skip

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Ticket | None:
        """Django's, with the way to the order's page for who may see it."""
        ticket: Any = super().get_object(request, object_id, from_field)
        if ticket is not None:
            ticket.order_address = address_of(request, f"order:{ticket.order_code}")
        return ticket

    @admin.display(description=_("printed code"), ordering="code")
    def shown_code(self, ticket: Ticket) -> str:
        return ticket.printed_code

    @admin.display(description=_("order"))
    def order_link(self, ticket: Any) -> str:
        address = getattr(ticket, "order_address", None)
        return format_html('<a href="{}">{}</a>', address, ticket.order_code) if address else ticket.order_code

    @admin.display(description=_("language"))
    def language_in_words(self, ticket: Ticket) -> str:
        return str(dict(settings.LANGUAGES).get(ticket.language, ticket.language))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Ticket], search_term: str
    ) -> tuple[QuerySet[Ticket], bool]:
        """A code is found however it was typed."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        if search_term.strip():
            found |= queryset.filter(code=typed(search_term))
        return found, may_repeat
