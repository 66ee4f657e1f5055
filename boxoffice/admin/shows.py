"""Shows with what staff may do to them. Inventory makes and shows them; who has bought seats is known here."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from boxoffice.cancellation.desk.headline import phase_in_words
from boxoffice.cancellation.desk.progress_page import PERMISSION as CANCELLATION_PERMISSION
from boxoffice.cancellation.desk.progress_page import progress_page
from boxoffice.cancellation.desk.report_pages import csv_page, pdf_page
from boxoffice.cancellation.desk.start_page import PERMISSION as CANCEL_PERMISSION
from boxoffice.cancellation.desk.start_page import can_be_cancelled, cancel_page
from boxoffice.cancellation.desk.verb_pages import again_page, pause_page, resume_page, undo_page, write_off_page
from boxoffice.links.whose_links import can_be_linked
from boxoffice.models import Cancellation, ShowAction
from boxoffice.payments.errors import NotChargeable
from boxoffice.payments.minor_units import provider_amount
from boxoffice.shows.aside_page import PERMISSION as ASIDE_PERMISSION
from boxoffice.shows.aside_page import aside_page, has_seats_to_put_aside
from boxoffice.shows.door_list_page import door_list_page
from boxoffice.shows.house_page import PERMISSION as HOUSE_PERMISSION
from boxoffice.shows.house_page import house_page
from boxoffice.shows.money_back_page import money_back_page, offer_in_words
from boxoffice.shows.move_page import PERMISSION as MOVE_PERMISSION
from boxoffice.shows.move_page import can_be_moved, move_page
from boxoffice.shows.postpone_page import attendees_address, can_be_postponed, postpone_page, postponed_in_words
from boxoffice.shows.sale_page import PERMISSION as SALE_PERMISSION
from boxoffice.shows.sale_page import can_be_put_on_sale, sale_page
from boxoffice.shows.trail import what_was_done
from inventory.admin import PriceTierInline, ShowAdmin
from inventory.forms import PriceTierForm
from inventory.models import Show
from inventory.money import Money

LAST_ACTIONS = 20
"""On a show's page; all of them stand in *Who did what*."""


class ChargeableTierForm(PriceTierForm):
    """Refuses a price that nobody could pay online."""

    def clean_price(self) -> int:
        price: int = self.cleaned_data["price"]
        currency = self.fields["price"].currency  # type: ignore[attr-defined]
        try:
            provider_amount(Money(price, currency))
        except NotChargeable:
            nearest = Money(price - price % 10, currency)
            words = _("The payment provider charges no such amount. The last decimal must be 0, as in %(nearest)s.")
            raise ValidationError(words % {"nearest": nearest}) from None
        return price


class DeskTiers(PriceTierInline):
    form = ChargeableTierForm


class DeskShowAdmin(ShowAdmin):
    """The list, one show with its trail, and the pages about it."""

    change_form_template = "admin/inventory/show/change_form.html"

    class Media:
        css = {"all": ("boxoffice/css/support.css", "boxoffice/css/shows.css")}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shows = Show.objects.select_related("venue")
        show = shows.filter(pk=int(object_id)).first() if object_id.isdecimal() else None
        offered = {
            "may_put_on_sale": show is not None and can_be_put_on_sale(show) and request.user.has_perm(SALE_PERMISSION),
            "may_put_aside": show is not None
            and has_seats_to_put_aside(show)
            and request.user.has_perm(ASIDE_PERMISSION),
            "may_move": show is not None and can_be_moved(show) and request.user.has_perm(MOVE_PERMISSION),
            "may_postpone": show is not None and can_be_postponed(show) and request.user.has_perm(MOVE_PERMISSION),
            **(_changed(request, show) if show is not None else {}),
            "may_cancel": show is not None and can_be_cancelled(show) and request.user.has_perm(CANCEL_PERMISSION),
            **(_cancellation(request, show) if show is not None else {}),
            "may_see_house": show is not None and request.user.has_perm(HOUSE_PERMISSION),
            "may_link": show is not None and can_be_linked(show, by=request.user),
            "done_by_hand": _last_actions(show) if show else (),
        }
        return super().change_view(request, object_id, form_url, {**offered, **(extra_context or {})})

    @admin.action(description=_lazy("Put on sale"), permissions=["change"])
    def put_on_sale(self, request: HttpRequest, shows: QuerySet[Show]) -> None:
        """A show that was postponed goes on by its own page, which says whom that tells."""
        for show in shows.filter(status=Show.Status.POSTPONED):
            words = _("“%(show)s” is postponed. Put it on sale on its page, which says whom that tells.")
            self.message_user(request, words % {"show": show}, messages.WARNING)
        super().put_on_sale(request, shows.exclude(status=Show.Status.POSTPONED))

    def get_inlines(self, request: HttpRequest, obj: Show | None) -> list[Any]:
        return [] if obj is None else [DeskTiers]

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:show_id>/sale/", view(partial(sale_page, self)), name="inventory_show_sale"),
            path("<int:show_id>/aside/", view(partial(aside_page, self)), name="inventory_show_aside"),
            path("<int:show_id>/move/", view(partial(move_page, self)), name="inventory_show_move"),
            path("<int:show_id>/postpone/", view(partial(postpone_page, self)), name="inventory_show_postpone"),
            path("<int:show_id>/money-back/", view(partial(money_back_page, self)), name="inventory_show_money_back"),
            *self._cancellation_urls(),
            path("<int:show_id>/house/", view(partial(house_page, self)), name="inventory_show_house"),
            path("<int:show_id>/door-list/", view(partial(door_list_page, self)), name="inventory_show_door_list"),
            *super().get_urls(),
        ]

    def _cancellation_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        here, name = "<int:show_id>/cancellation/", "inventory_show_cancellation"
        return [
            path("<int:show_id>/cancel/", view(partial(cancel_page, self)), name="inventory_show_cancel"),
            path(here, view(partial(progress_page, self)), name=name),
            path(f"{here}pause/", view(partial(pause_page, self)), name=f"{name}_pause"),
            path(f"{here}resume/", view(partial(resume_page, self)), name=f"{name}_resume"),
            path(f"{here}again/", view(partial(again_page, self)), name=f"{name}_again"),
            path(f"{here}write-off/<int:order_id>/", view(partial(write_off_page, self)), name=f"{name}_write_off"),
            path(f"{here}undo/<int:order_id>/", view(partial(undo_page, self)), name=f"{name}_undo"),
            path(f"{here}report.csv", view(csv_page), name=f"{name}_csv"),
            path(f"{here}report-<int:number>.pdf", view(pdf_page), name=f"{name}_pdf"),
        ]


def _cancellation(request: HttpRequest, show: Show) -> dict[str, Any]:
    """Of a cancelled show, for who may see how far it is: the row, and how it stands in words."""
    if show.status != Show.Status.CANCELLED or not request.user.has_perm(CANCELLATION_PERMISSION):
        return {}
    cancellation = Cancellation.objects.filter(show=show).first()
    return {"cancellation": cancellation, "phase": phase_in_words(cancellation)} if cancellation else {}


def _changed(request: HttpRequest, show: Show) -> dict[str, Any]:
    """For the page of a show that is postponed, or whose fans may have their money back: what is to be known of it."""
    words = postponed_in_words(show)
    return {
        "postponed": words,
        "attendees_url": attendees_address(request, show) if words else "",
        "money_back": offer_in_words(show) if request.user.has_perm(MOVE_PERMISSION) else "",
    }


def _last_actions(show: Show) -> list[tuple[ShowAction, str]]:
    """What staff did to the show last, each with what it changed. One query."""
    actions = ShowAction.objects.filter(show=show).order_by("-pk")[:LAST_ACTIONS]
    return [(action, what_was_done(action, zone=show.venue.zone)) for action in actions]


admin.site.unregister(Show)
admin.site.register(Show, DeskShowAdmin)
