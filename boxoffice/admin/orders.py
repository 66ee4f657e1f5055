"""Orders in the support desk: found by code, name or address, and told as a story. Read-only."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _

from boxoffice.admin.order_list import OrderListAdmin
from boxoffice.models import Order
from boxoffice.order_address import address_of
from boxoffice.support.actions.cancel_page import PERMISSION as CANCEL_PERMISSION
from boxoffice.support.actions.cancel_page import cancel_page
from boxoffice.support.actions.job_page import CHANGES, job_page
from boxoffice.support.actions.mail_pages import address_page, mail_rows, may_write, resend_page
from boxoffice.support.actions.move_page import move_page
from boxoffice.support.actions.note_page import PERMISSION as NOTE_PERMISSION
from boxoffice.support.actions.note_page import empty_note, note_page
from boxoffice.support.actions.offered import offered
from boxoffice.support.actions.payout_page import PERMISSION as PAY_OUT_PERMISSION
from boxoffice.support.actions.payout_page import payout_page
from boxoffice.support.actions.refund_pages import PERMISSION, again_page, may_refund, refund_page
from boxoffice.support.actions.release_page import release_page
from boxoffice.support.actions.sell_pages import hold_page, seats_page, shows_page
from boxoffice.support.actions.ticket_pages import name_page, print_page, render_page
from boxoffice.support.sample_mails import sample_mail_html, sample_mails_page
from boxoffice.support.story.masked import masked
from boxoffice.support.story.order_status import status_in_words
from boxoffice.support.story.plain_words import language_in_words, name_of_message
from boxoffice.support.story.tell_story import tell_story
from inventory.venue_time import in_venue_time
from jobs.admin.subjects import link_subjects
from jobs.personal import may_see_personal_data
from notifications.admin.kinds import name_kinds

admin.site.site_header = admin.site.site_title = _("BoxOffice support desk")


@admin.register(Order)
class OrderAdmin(OrderListAdmin):
    """A list to search, and one page that tells what happened. Changes come as actions of their own."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The order's story in place of a form."""
        order = self.get_object(request, object_id)
        if not self.has_view_permission(request, order):
            raise PermissionDenied
        if order is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        story = tell_story(order=order)
        if not may_see_personal_data(request.user):
            story = masked(story)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Order %(code)s") % {"code": order.code},
            "opts": self.opts,
            "media": self.media,
            "order": order,
            "show": order.show,
            "starts": in_venue_time(instant=order.show.starts_at, zone=order.show.venue.zone),
            # Who knows its address sees the fan's name and his own, and may do there what the fan may.
            "page": address_of(order) if may_see_personal_data(request.user) else "",
            "story": story,
            "mails": mail_rows(order=order, mails=story.facts.mails),
            "may_write": may_write(request),
            "status_in_words": status_in_words(order),
            "language": language_in_words(order.language),
            "may_refund": may_refund(request, order) and not story.facts.only_disputed_money,
            "may_try_again": request.user.has_perm(PERMISSION),
            "may_see_jobs": request.user.has_perm("jobs.view_job"),
            "offers": offered(request, story.facts),
            "note_form": empty_note() if request.user.has_perm(NOTE_PERMISSION) else None,
            "may_pay_out": request.user.has_perm(PAY_OUT_PERMISSION),
            "may_release": request.user.has_perm(CANCEL_PERMISSION),
            "job_changes": [
                (verb, change.button, "dead" if verb != "run-now" else "later")
                for verb, change in CHANGES.items()
                if request.user.has_perm(change.permission)
            ],
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/boxoffice/order/story.html", context)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        refund, again = view(partial(refund_page, self)), view(partial(again_page, self))
        hold, job = "sell/hold/<int:hold_id>/", "<int:order_id>/job/<int:job_id>/<slug:verb>/"
        paid_out = "<int:order_id>/refund/<int:refund_id>/paid-out/"
        return [
            path("sell/", view(partial(shows_page, self)), name="boxoffice_order_sell"),
            path("sell/<int:show_id>/", view(partial(seats_page, self)), name="boxoffice_order_sell_seats"),
            path(hold, view(partial(hold_page, self)), name="boxoffice_order_sell_hold"),
            path("<int:order_id>/note/", view(partial(note_page, self)), name="boxoffice_order_note"),
            path("<int:order_id>/name/", view(partial(name_page, self)), name="boxoffice_order_name"),
            path("<int:order_id>/render/", view(partial(render_page, self)), name="boxoffice_order_render"),
            path("<int:order_id>/print/", view(partial(print_page, self)), name="boxoffice_order_print"),
            path("<int:order_id>/cancel/", view(partial(cancel_page, self)), name="boxoffice_order_cancel"),
            path("<int:order_id>/release/", view(partial(release_page, self)), name="boxoffice_order_release"),
            path("<int:order_id>/move/", view(partial(move_page, self)), name="boxoffice_order_move"),
            path(job, view(partial(job_page, self)), name="boxoffice_order_job"),
            path(paid_out, view(partial(payout_page, self)), name="boxoffice_order_paid_out"),
            path("messages/", view(partial(sample_mails_page, self)), name="boxoffice_sample_mails"),
            path("messages/html/", view(partial(sample_mail_html, self)), name="boxoffice_sample_mail_html"),
            path("<int:order_id>/resend/", view(partial(resend_page, self)), name="boxoffice_order_resend"),
            path("<int:order_id>/address/", view(partial(address_page, self)), name="boxoffice_order_address"),
            path("<int:order_id>/refund/", refund, name="boxoffice_order_refund"),
            path("<int:order_id>/refund/<int:refund_id>/again/", again, name="boxoffice_order_refund_again"),
            *super().get_urls(),
        ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Order | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Order | None = None) -> bool:
        return False


def _page_of(request: HttpRequest, code: str) -> str | None:
    """Where staff find the order that a job is about."""
    if not request.user.has_perm("boxoffice.view_order"):
        return None
    found = Order.objects.filter(code=code).values_list("pk", flat=True).first()
    return reverse("admin:boxoffice_order_change", args=[found]) if found else None


def _fan_of(code: str) -> tuple[str, str]:
    """Whose order it is, so that what staff wrote of its jobs can be masked."""
    return Order.objects.filter(code=code).values_list("name", "email").first() or ("", "")


link_subjects(kind="order", address=_page_of, person=_fan_of)
name_kinds(by=name_of_message)
