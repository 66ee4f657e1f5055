"""The list of orders: one box that finds any of them, filters, and pages that count no million."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal

from django.contrib import admin, messages
from django.contrib.admin.views.main import ORDER_VAR, SEARCH_VAR, ChangeList
from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, F, Func, IntegerField, QuerySet, Value
from django.db.models.expressions import RawSQL
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import dateformat
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from boxoffice.admin.attention_filter import AttentionFilter
from boxoffice.admin.dispute_filter import DisputeFilter
from boxoffice.models import Order
from boxoffice.search.find_orders import find_orders
from boxoffice.search.found import By, Found, Hit
from boxoffice.support.actions.sell_pages import may_sell
from boxoffice.support.mark_words import marked
from boxoffice.support.story.order_status import status_in_words
from boxoffice.support.ticket_answer import answer_about, why_no_ticket
from inventory.models import Seat
from jobs.admin.bounded_pages import BoundedPaginator
from jobs.admin.masked_rows import MaskedChangeList, MaskedListAdmin
from jobs.admin.moments import relatively
from jobs.clock import DatabaseNow
from jobs.personal import masked_address, masked_name, may_see_personal_data
from tickets.codes import grouped


class _FoundFirst(MaskedChangeList):
    """What was looked for comes as near as it was meant, which is no column's order."""

    def get_ordering_field_columns(self) -> dict[int, Literal["asc", "desc"]]:
        if self.query.strip() and ORDER_VAR not in self.params:
            return {}
        return super().get_ordering_field_columns()


class OrderListAdmin(MaskedListAdmin):
    """The newest first; where something is looked for the nearest, and what it was found by stands in its row."""

    list_display = ("code_found", "state", "buyer", "seen", "placed")
    list_display_links = ("code_found",)
    list_filter = (AttentionFilter, DisputeFilter, "status", "show__venue", "placed_at")
    list_per_page = 50
    ordering = ("-placed_at",)
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    search_fields = ("code",)  # shows the box; boxoffice.search answers
    personal = {"name": masked_name, "email": masked_address}
    search_help_text = _(
        "Name, e-mail address, order or ticket code, seat (C 12), payment, refund or dispute. Slips are forgiven."
    )

    class Media:
        css = {"all": ("boxoffice/css/support.css", "boxoffice/css/finding.css")}

    def get_changelist(self, request: HttpRequest, **named: Any) -> type[ChangeList]:
        return _FoundFirst

    @admin.display(description=_("code"), ordering="code")
    def code_found(self, order: Any) -> SafeString:
        """The code, and below it what of the order was meant."""
        hit: Hit | None = getattr(order, "hit", None)
        code = format_html("<mark>{}</mark>", order.code) if hit and hit.by is By.CODE else order.code
        why = _why(hit, getattr(order, "hit_what", "")) if hit else ""
        return format_html('{}<br><span class="why">{}</span>', code, why) if why else format_html("{}", code)

    @admin.display(description=_("status"), ordering="status")
    def state(self, order: Order) -> SafeString:
        return format_html('<span class="chip {}">{}</span>', order.status, status_in_words(order))

    @admin.display(description=_("buyer"), ordering="name")
    def buyer(self, order: Any) -> SafeString:
        words: frozenset[str] = getattr(order, "hit_words", frozenset())
        return format_html("{}<br>{}", marked(order.name, words=words), marked(order.email, words=words))

    @admin.display(description=_("show"), ordering="show__starts_at")
    def seen(self, order: Order) -> SafeString:
        return format_html("{}<br>{}", order.show.title, _briefly(order.show.starts_at_local))

    @admin.display(description=_("placed"), ordering="placed_at")
    def placed(self, order: Any) -> SafeString:
        """As seen from now, since the orders of one list are of venues in many zones."""
        return relatively(order.placed_at, order.now)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        return super().get_queryset(request).select_related("show__venue", "hold").annotate(now=DatabaseNow())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Those found that the filters let through, in the order of the search unless a column is chosen."""
        if not search_term.strip():
            return queryset, False
        found = find_orders(text=search_term, by_person=may_see_personal_data(request.user))
        request.found = found  # type: ignore[attr-defined]
        ids = [hit.order_id for hit in found.hits]
        queryset = queryset.filter(pk__in=RawSQL("SELECT unnest(%s::bigint[])", [ids]))
        return (queryset if request.GET.get(ORDER_VAR) else queryset.order_by(_place_in(ids))), False

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        changelist = super().get_changelist_instance(request)
        if not may_see_personal_data(request.user):
            changelist.search_help_text = gettext(
                "Order or ticket code, seat (C 12), payment, refund or dispute, or a whole e-mail address."
            )
        if found := getattr(request, "found", None):
            _tell_what_was_found(changelist.result_list, found)
        return changelist

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The list; or the order itself, where one order alone is just what was typed."""
        found_words = {"may_sell": may_sell(request), "by_person": may_see_personal_data(request.user)}
        response = super().changelist_view(request, {**found_words, **(extra_context or {})})
        context = getattr(response, "context_data", None) or {}
        if (found := getattr(request, "found", None)) is None or "cl" not in context:
            return response
        if set(request.GET) == {SEARCH_VAR} and len(found.hits) == 1 and not found.is_near:
            return self._to_the_one(request, found.hits[0])
        context["found"] = found
        if not found.hits or found.is_near:
            context["no_ticket"] = why_no_ticket(typed=request.GET.get(SEARCH_VAR, ""))
        return response

    def _to_the_one(self, request: HttpRequest, hit: Hit) -> HttpResponse:
        typed = request.GET[SEARCH_VAR].strip()
        sees_all = may_see_personal_data(request.user)
        if hit.by is By.TICKET and (answer := answer_about(code=hit.what, typed=typed, with_reasons=sees_all)):
            self.message_user(request, answer.words, messages.SUCCESS if answer.is_good else messages.WARNING)
        else:
            words = gettext("The only order found for “%(typed)s”.") % {"typed": typed[:100]}
            what = _why(hit, _named([hit]).get(hit.what, hit.what))
            self.message_user(request, f"{words} {what}".strip(), messages.INFO)
        return HttpResponseRedirect(reverse("admin:boxoffice_order_change", args=[hit.order_id]))


def _place_in(ids: list[int]) -> Func:
    array = Value(ids, output_field=ArrayField(BigIntegerField()))
    return Func(array, F("pk"), function="array_position", output_field=IntegerField())


def _tell_what_was_found(rows: Iterable[Any], found: Found) -> None:
    hits = {hit.order_id: hit for hit in found.hits}
    shown = [(order, hits[order.pk]) for order in rows if order.pk in hits]
    named = _named(hit for _order, hit in shown)
    for order, hit in shown:
        order.hit, order.hit_words = hit, found.words if hit.by is By.NAME else frozenset()
        order.hit_what = named.get(hit.what, hit.what)


def _named(hits: Iterable[Hit]) -> dict[str, str]:
    """What was found as people write it, by what is stored. One query where seats were found."""
    named = {}
    seats = []
    for hit in hits:
        if hit.by is By.TICKET:
            named[hit.what] = grouped(hit.what)
        elif hit.by is By.SEAT:
            seats.append(hit.what)
    for seat in Seat.objects.filter(pk__in=seats) if seats else ():
        named[str(seat.pk)] = seat.label
    return named


def _why(hit: Hit, what: str) -> str:
    """What of the order was found, in words; empty where the row shows it."""
    if hit.by is By.CODE:
        return gettext("Nearly the code that was typed") if hit.is_near else ""
    if hit.by is By.TICKET:
        words = gettext("Ticket %(code)s, nearly as typed") if hit.is_near else gettext("Ticket %(code)s of this order")
        return words % {"code": what}
    if hit.by is By.SEAT:
        return gettext("Seat of this order: %(seat)s") % {"seat": what}
    if hit.by is By.PAYMENT:
        return gettext("Payment of this order: %(id)s") % {"id": what}
    if hit.by is By.REFUND:
        return gettext("Refund of this order: %(id)s") % {"id": what}
    if hit.by is By.DISPUTE:
        return gettext("Dispute of this order: %(id)s") % {"id": what}
    return gettext("Nearly as typed") if hit.is_near else ""


def _briefly(moment: datetime) -> str:
    """A local time in the narrow columns of a list; the order's page has it in full."""
    return dateformat.format(moment, pgettext("brief date and time, in Django's date format", "j M Y, H:i"))
