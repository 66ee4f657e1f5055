"""Holds with what staff may do to them. Inventory shows them; who buys by them is known here."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, ExpressionWrapper, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import NoReverseMatch, URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from boxoffice.models import HoldAction, Order
from boxoffice.support.actions.hold_pages import EXTEND_PERMISSION, RELEASE_PERMISSION, extend_page, release_page
from boxoffice.support.actions.sell_pages import may_sell
from inventory.admin import HoldAdmin
from inventory.conditions import hold_is_open
from inventory.models import Hold, Seat
from inventory.venue_time import in_venue_time
from jobs.admin.moments import relatively
from jobs.clock import DatabaseNow
from jobs.personal import text_for


class InFlightFilter(admin.SimpleListFilter):
    """Holds that keep seats from others now."""

    title = _("in flight")
    parameter_name = "in_flight"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("Keep seats now")), ("ordered", _("Being bought now"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Hold]) -> QuerySet[Hold]:
        if self.value() == "yes":
            return queryset.filter(hold_is_open())
        if self.value() == "ordered":
            return queryset.filter(hold_is_open(), ordered_at__isnull=False)
        return queryset


class DeskHoldAdmin(HoldAdmin):
    """The list, one hold with its trail, and the pages that change it."""

    list_display = ("id", "show", "stands", "seat_count", "created", "ends")
    list_filter = (InFlightFilter, "status")  # type: ignore[assignment]
    fields = ("show", "stands", "seats", "life", "order_of_it", "done_by_hand")  # type: ignore[assignment]
    readonly_fields = ("seats", "life", "order_of_it", "done_by_hand")
    change_form_template = "admin/inventory/hold/change_form.html"

    class Media:
        css = {"all": ("boxoffice/css/support.css",)}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        is_open = ExpressionWrapper(hold_is_open(), output_field=BooleanField())
        return super().get_queryset(request).select_related("show__venue").annotate(now=DatabaseNow(), is_open=is_open)

    @admin.display(description=_("created"), ordering="created_at")
    def created(self, hold: Any) -> SafeString:
        return relatively(hold.created_at, hold.now)

    @admin.display(description=_("ends"), ordering="expires_at")
    def ends(self, hold: Any) -> SafeString:
        return relatively(hold.expires_at, hold.now)

    @admin.display(description=_("order"))
    def order_of_it(self, hold: Hold) -> SafeString | str:
        order = Order.objects.filter(hold=hold).first()
        if order is None:
            return gettext("none")
        try:
            return format_html('<a href="{}">{}</a>', reverse("admin:boxoffice_order_change", args=[order.pk]), order)
        except NoReverseMatch:
            return str(order)

    @admin.display(description=_("seats"))
    def seats(self, hold: Hold) -> str:
        seats = Seat.objects.filter(pk__in=hold.seat_ids).select_related("tier").order_by("position")
        return "; ".join(seat.label or seat.tier.name for seat in seats)

    @admin.display(description=_("its life"))
    def life(self, hold: Hold) -> SafeString:
        """In the venue's time; what has not happened is left out."""
        moments = (
            (hold.created_at, _("created")),
            (hold.extended_at, _("extended by the fan")),
            (hold.left_at, _("left")),
            (hold.ordered_at, _("order placed")),
            (hold.expires_at, _("ends")),
        )
        told = sorted((at, what) for at, what in moments if at is not None)
        return format_html_join(SafeString("<br>"), "{}: {}", [(_in_full(hold, at), what) for at, what in told])

    @admin.display(description=_("by staff"))
    def done_by_hand(self, hold: Any) -> SafeString | str:
        actions = HoldAction.objects.filter(hold=hold).order_by("pk")
        name, address = _buyer(hold)

        def shown(text: str) -> str:
            return text_for(hold.reader, text, name=name, address=address)

        rows = [(_in_full(hold, each.at), each.get_action_display(), each.by, shown(each.reason)) for each in actions]
        return format_html_join(SafeString("<br>"), "{}: {}, {}: {}", rows) or gettext("nothing")

    def get_object(self, request: HttpRequest, *given: Any, **named: Any) -> Any:
        hold = super().get_object(request, *given, **named)
        if hold is not None:
            hold.reader = request.user
        return hold

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        hold = Hold.objects.filter(hold_is_open(), pk=int(object_id)).first() if object_id.isdecimal() else None
        offered = {
            "may_release": hold is not None and request.user.has_perm(RELEASE_PERMISSION),
            "may_extend": hold is not None and request.user.has_perm(EXTEND_PERMISSION),
            "may_sell": hold is not None and hold.ordered_at is None and may_sell(request),
        }
        return super().change_view(request, object_id, form_url, {**offered, **(extra_context or {})})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:hold_id>/release/", view(partial(release_page, self)), name="inventory_hold_release"),
            path("<int:hold_id>/extend/", view(partial(extend_page, self)), name="inventory_hold_extend"),
            *super().get_urls(),
        ]


def _buyer(hold: Hold) -> tuple[str, str]:
    """Name and address of whoever buys by it, whom a reason names as often as not."""
    return Order.objects.filter(hold=hold).values_list("name", "email").first() or ("", "")


def _in_full(hold: Hold, instant: datetime) -> str:
    return in_venue_time(instant=instant, zone=hold.show.venue.zone)


admin.site.unregister(Hold)
admin.site.register(Hold, DeskHoldAdmin)
