"""The pages at the support desk that send a mail again, or correct an order's mail address.

Each asks once, says what will happen, and tells afterwards what it did. Pressed twice it is done once: the number of
the resend comes from the page that asked, and the services decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.changes.send_tickets import last_kind
from boxoffice.contact import EMAIL_MAX_LENGTH
from boxoffice.correct_address import correct_address
from boxoffice.errors import BoxOfficeError, InvalidContact
from boxoffice.messages import show_cancelled, tickets_ready
from boxoffice.models import Order
from boxoffice.resend_message import ToldMessage, resend_message, told_messages
from boxoffice.support.actions.order_desk import back, order_page
from boxoffice.support.story.plain_words import name_of_message, name_of_recipient
from jobs.admin.reason_form import ReasonForm
from notifications.models import Notification
from notifications.told_again import first_of

PERMISSION = "notifications.add_messageaction"


class ResendForm(ReasonForm):
    """Why, and which one it is: both come back as the page had them."""

    kind = forms.CharField(max_length=64, widget=forms.HiddenInput)
    occurrence = forms.CharField(max_length=50, required=False, widget=forms.HiddenInput)
    number = forms.IntegerField(min_value=1, max_value=9999, widget=forms.HiddenInput)


class AddressForm(ReasonForm):
    """Where mails go from now on, and why."""

    email = forms.CharField(
        label=gettext_lazy("E-mail"),
        max_length=EMAIL_MAX_LENGTH,
        widget=forms.EmailInput(attrs={"class": "vTextField", "autocomplete": "off", "autofocus": True}),
    )
    send = forms.BooleanField(label=gettext_lazy("Mail the tickets there as well"), required=False)


@dataclass(frozen=True)
class MailRow:
    """A mail in the list of an order. recipient: in words. again: the address that asks whether to send it again; empty
    where that is none.

    Only the newest of its kind has one, once it is not on its way any more.
    """

    mail: Notification
    name: str
    recipient: str
    again: str


def mail_rows(*, order: Order, mails: Sequence[Notification]) -> list[MailRow]:
    """The list, oldest first. Pure."""
    newest = {(mail.kind, first_of(mail.occurrence)): mail.pk for mail in mails if _is_mail(mail)}
    rows = []
    for mail in mails:
        ended = mail.pk in newest.values() and mail.status != Notification.Status.QUEUED
        query = urlencode({"kind": mail.kind, "occurrence": first_of(mail.occurrence)})
        again = f"{reverse('admin:boxoffice_order_resend', args=[order.pk])}?{query}" if ended else ""
        rows.append(MailRow(mail=mail, name=name_of_message(mail), recipient=name_of_recipient(mail), again=again))
    return rows


def _is_mail(notification: Notification) -> bool:
    return notification.channel == Notification.Channel.EMAIL


def may_write(request: HttpRequest) -> bool:
    """Whether this user may send mails again and correct addresses."""
    return request.user.has_perm(PERMISSION)


def resend_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Which mail, and ask (GET with ``kind`` and ``occurrence``), or plan it again and say so (POST)."""
    order = _order(request, order_id)
    typed = request.POST if request.method == "POST" else request.GET
    chosen = _chosen(order, kind=typed.get("kind", ""), occurrence=typed.get("occurrence", ""))
    if chosen is None:
        messages.warning(request, _("Choose which mail to send again."))
        return back(order)
    at_first = {"kind": chosen.kind, "occurrence": chosen.occurrence, "number": chosen.number}
    form = ResendForm(request.POST if request.method == "POST" else None, initial=at_first)
    if not form.is_valid():
        title = _("Send it again: %(message)s?") % {"message": name_of_message(chosen.newest)}
        sent_to = name_of_recipient(chosen.newest)
        return order_page(page, request, order, "resend.html", title=title, form=form, told=chosen, sent_to=sent_to)
    try:
        planned = resend_message(order_id=order.pk, by=request.user.get_username(), **form.cleaned_data)
    except BoxOfficeError as refusal:
        messages.error(request, str(refusal))
        return back(order)
    _tell(request, planned)
    return back(order)


def address_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for the address (GET), or correct it and say so (POST)."""
    order = _order(request, order_id)
    is_cancelled = last_kind(order=order) == show_cancelled.KIND
    can_send = _were_sent(order, is_cancelled=is_cancelled)
    at_first = {"email": order.email, "send": can_send}
    form = AddressForm(request.POST if request.method == "POST" else None, initial=at_first)
    if is_cancelled:
        form.fields["send"].label = _("Mail there as well that the show is cancelled")
    if form.is_valid():
        try:
            done = correct_address(order_id=order.pk, by=request.user.get_username(), **form.cleaned_data)
        except InvalidContact as refusal:
            form.add_error("email", str(refusal))
        except BoxOfficeError as refusal:
            messages.error(request, str(refusal))
            return back(order)
        else:
            words = _("Mails about order %(code)s go to %(email)s from now on.") % {
                "code": order.code,
                "email": done.order.email,
            }
            waiting = ngettext(
                "%(n)d that was not sent yet goes there, too.",
                "%(n)d that were not sent yet go there, too.",
                done.redirected,
            ) % {"n": done.redirected}
            sent = (
                _("That the show is cancelled is told there once more.")
                if is_cancelled
                else _("The tickets go there once more.")
            )
            told = " ".join([words, *([waiting] if done.redirected else []), *([sent] if done.is_sent else [])])
            messages.success(request, format_html('{} <a href="#timeline">{}</a>', told, _("See what happens to it")))
            return back(order)
    title = _("Correct the address of order %(code)s") % {"code": order.code}
    return order_page(page, request, order, "address.html", title=title, form=form, can_send=can_send)


def _were_sent(order: Order, *, is_cancelled: bool) -> bool:
    """Whether the news that the show is cancelled, or otherwise tickets that are good, were mailed or not sent, so that
    they can be mailed once more.
    """
    kind = show_cancelled.KIND if is_cancelled else tickets_ready.KIND
    told = [each for each in told_messages(order=order) if each.kind == kind]
    has_left = bool(told) and told[-1].newest.status != Notification.Status.QUEUED
    return has_left and (is_cancelled or order.status in (Order.Status.CONFIRMED, Order.Status.PARTLY_REFUNDED))


def _tell(request: HttpRequest, planned: Notification | None) -> None:
    if planned is None:
        messages.warning(request, _("It had been planned again already. Nothing more was done."))
    elif planned.status == Notification.Status.SUPPRESSED:
        messages.warning(request, _("It is not sent: its reader wants no more mails of this kind."))
    else:
        words = _("It goes to %(email)s once more.") % {"email": planned.recipient}
        messages.success(request, format_html('{} <a href="#timeline">{}</a>', words, _("See what happens to it")))


def _order(request: HttpRequest, order_id: int) -> Order:
    if not may_write(request) or not request.user.has_perm("boxoffice.view_order"):
        raise PermissionDenied
    order = Order.objects.select_related("show__venue").filter(pk=order_id).first()
    if order is None:
        raise Http404
    return order


def _chosen(order: Order, *, kind: str, occurrence: str) -> ToldMessage | None:
    for each in told_messages(order=order):
        if (each.kind, each.occurrence) == (kind, occurrence):
            return each
    return None
