"""Venues, plans and shows for the staff; seats and holds to look at."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import admin, messages
from django.db.models import BooleanField, ExpressionWrapper, F, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from inventory.advance_show import advance_show
from inventory.count_free_seats import count_free_seats
from inventory.create_show import create_show
from inventory.errors import InventoryError
from inventory.forms import PlanUploadForm, PriceTierForm, PriceTierFormSet, ShowForm
from inventory.import_seating_plan import import_seating_plan
from inventory.models import Availability, Hold, PriceTier, Seat, SeatingPlan, Show, ShowText, Venue
from inventory.plan_sale_opening import plan_sale_opening
from inventory.pretix_plan import check_plan
from inventory.venue_time import in_venue_time, place_of
from jobs.admin import ReadOnlyAdmin
from jobs.admin.read_only import SturdyAdmin
from jobs.admin.subjects import link_subjects
from jobs.clock import DatabaseNow

INSTANTS = {"starts_at", "doors_at", "on_sale_at"}


@admin.register(Venue)
class VenueAdmin(SturdyAdmin):
    list_display = ("name", "city", "time_zone")
    search_fields = ("name", "city")
    prepopulated_fields = {"slug": ("name",)}


@admin.register(SeatingPlan)
class SeatingPlanAdmin(SturdyAdmin):
    """A plan is taken in from a file, and never changed: shows were made from it."""

    list_display = ("name", "venue", "seat_count", "created_at")
    list_select_related = ("venue",)
    search_fields = ("name", "venue__name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SeatingPlan]:
        return super().get_queryset(request).defer("document")

    def get_form(
        self, request: HttpRequest, obj: SeatingPlan | None = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if obj is None:
            kwargs["form"] = PlanUploadForm
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: SeatingPlan | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("venue", "file", "name")
        return ("venue", "name", "seat_count", "width", "height", "created_at")

    def has_change_permission(self, request: HttpRequest, obj: SeatingPlan | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: SeatingPlan, form: Any, change: bool) -> None:
        plan = import_seating_plan(venue=obj.venue, raw=form.raw, name=obj.name)
        obj.pk = plan.pk
        obj.refresh_from_db()


class PriceTierInline(admin.TabularInline):
    model = PriceTier
    form = PriceTierForm
    formset = PriceTierFormSet
    extra = 0

    def get_fields(self, request: HttpRequest, obj: Show | None = None) -> tuple[str, ...]:
        # Django shows who may only look the bare integer of a model's field.
        price = "price" if self.has_change_permission(request, obj) else "costs"
        return ("name", price, "category", "color", "position", "wheelchair")

    def get_readonly_fields(self, request: HttpRequest, obj: Show | None = None) -> tuple[str, ...]:
        return ("category", "costs")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PriceTier]:
        return super().get_queryset(request).select_related("show")

    @admin.display(description=_("price"))
    def costs(self, tier: PriceTier) -> str:
        return str(tier.money)

    def has_add_permission(self, request: HttpRequest, obj: Show | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Show | None = None) -> bool:
        return False


@admin.register(Show)
class ShowAdmin(SturdyAdmin):
    """A show is made from a plan, free of charge at first; then its prices are set and it is put on sale.

    All instants in the form are the venue's time, typed and shown.
    """

    form = ShowForm
    list_display = ("title", "venue", "starts", "status")
    list_filter = ("status", "venue")
    list_select_related = ("venue",)
    search_fields = ("title", "slug", "venue__name")
    date_hierarchy = "starts_at"
    actions = ("put_on_sale", "mark_as_over")

    @admin.display(description=_("starts"), ordering="starts_at")
    def starts(self, show: Show) -> str:
        return in_venue_time(instant=show.starts_at, zone=show.venue.zone)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "plan":
            # Each choice is named by its venue, and none needs the megabytes of its document.
            kwargs["queryset"] = SeatingPlan.objects.select_related("venue").defer("document")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Show | None = None) -> tuple[str, ...]:
        fields = ShowForm.Meta.fields
        return fields if obj is None else ("venue", *fields, "status", "version")

    def get_readonly_fields(self, request: HttpRequest, obj: Show | None = None) -> tuple[str, ...]:
        if obj is None:
            return ()
        fixed = ("venue", "plan", "slug", "currency", "status", "version")
        if obj.status == Show.Status.DRAFT:
            return fixed
        # Who has bought a ticket relies on these: a show that is moved has its holders told.
        return (*fixed, "starts_at", "doors_at")

    def get_inlines(self, request: HttpRequest, obj: Show | None) -> list[Any]:
        return [] if obj is None else [PriceTierInline]

    def get_form(self, request: HttpRequest, obj: Show | None = None, change: bool = False, **kwargs: Any) -> Any:
        form: type[ModelForm] = super().get_form(request, obj, change, **kwargs)
        whose = gettext("In the venue's own time.")
        if obj:
            whose = gettext("%(place)s time, where the venue is.") % {"place": place_of(obj.venue.zone)}
        for name in INSTANTS & form.base_fields.keys():
            form.base_fields[name].help_text = whose
        if obj is None:
            form.base_fields["slug"].required = False
            form.base_fields["slug"].help_text = _("Left empty, it is made of the title and the date.")
            form.base_fields["doors_at"].required = False
            form.base_fields["doors_at"].help_text = f"{whose} {gettext('Left empty, half an hour before the start.')}"
        return form

    def has_delete_permission(self, request: HttpRequest, obj: Show | None = None) -> bool:
        # A show that was announced is cancelled; only a draft may vanish.
        return super().has_delete_permission(request, obj) and obj is not None and obj.status == Show.Status.DRAFT

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """A draft takes its seats along, which nobody may delete by themselves; they are counted, not listed.

        What is derived from the show is no loss, and not named.
        """
        _listed, counts, refused, protected = super().get_deleted_objects(objs, request)
        seats = Seat._meta.verbose_name
        derived = {model._meta.verbose_name_plural for model in (Availability, ShowText)}
        counts = {name: count for name, count in counts.items() if name not in derived}
        return [str(show) for show in objs], counts, {name for name in refused if name != seats}, protected

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        with timezone.override(self._zone(request, object_id)):
            response = super().changeform_view(request, object_id, form_url, extra_context)
            if isinstance(response, TemplateResponse):
                response.render()
            return response

    def _zone(self, request: HttpRequest, object_id: str | None) -> ZoneInfo | None:
        venues = Venue.objects.all()
        if object_id is not None:
            venue = venues.filter(shows=int(object_id)).first() if object_id.isdecimal() else None
        else:
            plan_id = request.POST.get("plan", "")
            venue = venues.filter(plans=int(plan_id)).first() if plan_id.isdecimal() else None
        return venue.zone if venue else None

    def save_model(self, request: HttpRequest, obj: Show, form: Any, change: bool) -> None:
        if change:
            # Only what was typed: the show's state may have moved on while the form was open.
            obj.version = F("version") + 1
            obj.save(update_fields=[*form.changed_data, "version"])
            if "on_sale_at" in form.changed_data:
                # In the transaction of this page. The start may have changed along, so both are one UPDATE.
                plan_sale_opening(show_id=obj.pk)
            obj.refresh_from_db()
            return
        show = create_show(
            plan=obj.plan,
            title=obj.title,
            slug=obj.slug,
            subtitle=obj.subtitle,
            description=obj.description,
            starts_at=obj.starts_at,
            doors_at=obj.doors_at,
            on_sale_at=obj.on_sale_at,
            currency=obj.currency,
            prices={category.name: 0 for category in check_plan(obj.plan.document).categories},
        )
        obj.pk = show.pk
        obj.refresh_from_db()

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        if change:
            # The list tells the cheapest free seat, and prices are changed here.
            count_free_seats(show_id=form.instance.pk)

    @admin.action(description=_("Put on sale"), permissions=["change"])
    def put_on_sale(self, request: HttpRequest, shows: QuerySet[Show]) -> None:
        self._advance(request, shows, Show.Status.SCHEDULED)

    @admin.action(description=_("Mark as over"), permissions=["change"])
    def mark_as_over(self, request: HttpRequest, shows: QuerySet[Show]) -> None:
        self._advance(request, shows, Show.Status.OVER)

    def _advance(self, request: HttpRequest, shows: QuerySet[Show], to: Show.Status) -> None:
        done = 0
        for show in shows:
            try:
                advance_show(show_id=show.pk, to=to)
            except InventoryError:
                refusal = _("“%(show)s” is %(status)s and stays so.")
                words = {"show": show, "status": show.get_status_display()}
                self.message_user(request, refusal % words, messages.WARNING)
            else:
                done += 1
                if to == Show.Status.SCHEDULED and not show.tiers.filter(price__gt=0).exists():
                    gratis = _("“%(show)s” has no price: every seat is free of charge.") % {"show": show}
                    self.message_user(request, gratis, messages.WARNING)
        if done:
            text = ngettext("%(count)d show is now %(status)s.", "%(count)d shows are now %(status)s.", done)
            self.message_user(request, text % {"count": done, "status": to.label}, messages.SUCCESS)


def _page_of(request: HttpRequest, show_id: str) -> str | None:
    """Where staff find the show that a job is about."""
    if not show_id.isdecimal() or not request.user.has_perm("inventory.view_show"):
        return None
    found = Show.objects.filter(pk=int(show_id)).exists()
    return reverse("admin:inventory_show_change", args=[int(show_id)]) if found else None


link_subjects(kind="show", address=_page_of)


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("place", "show", "tier", "status", "number_of_hold", "version")
    list_filter = ("status",)
    list_select_related = ("show", "tier")
    search_fields = ("show__title", "=guid", "=hold__id")
    ordering = ("show", "position")
    show_full_result_count = False

    @admin.display(description=_("seat"))
    def place(self, seat: Seat) -> str:
        return seat.label

    @admin.display(description=_("hold"))
    def number_of_hold(self, seat: Seat) -> str:
        return str(seat.hold_id or "–")


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    """Without the token: whoever knows it may buy the seats."""

    list_display = ("id", "show", "stands", "seat_count", "created_at", "expires_at")
    list_filter = ("status",)
    list_select_related = ("show",)
    search_fields = ("=id", "show__title")
    fields = ("show", "stands", "seat_ids", "created_at", "expires_at", "extended_at", "left_at", "ordered_at")
    ordering = ("-id",)
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Hold]:
        lapsed = Q(status=Hold.Status.ACTIVE, expires_at__lte=DatabaseNow())
        return super().get_queryset(request).annotate(has_lapsed=ExpressionWrapper(lapsed, BooleanField()))

    @admin.display(description=_("status"), ordering="status")
    def stands(self, hold: Any) -> str:
        """A lapsed hold is void, whatever its row still says."""
        return gettext("active until its time was over") if hold.has_lapsed else hold.get_status_display()

    @admin.display(description=_("seats"))
    def seat_count(self, hold: Hold) -> int:
        return len(hold.seat_ids)


def _page_of_hold(request: HttpRequest, hold_id: str) -> str | None:
    """Where staff find the hold that a job is about."""
    if not hold_id.isdecimal() or not request.user.has_perm("inventory.view_hold"):
        return None
    found = Hold.objects.filter(pk=int(hold_id)).exists()
    return reverse("admin:inventory_hold_change", args=[int(hold_id)]) if found else None


link_subjects(kind="hold", address=_page_of_hold)
