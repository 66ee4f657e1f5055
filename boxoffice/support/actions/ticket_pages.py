"""The pages on which staff correct the name on the tickets, have their file made anew, and open it to print it."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from boxoffice.changes.correct_name import correct_name
from boxoffice.changes.errors import NothingPrinted, TicketFileLost
from boxoffice.changes.render_tickets import render_tickets
from boxoffice.contact import NAME_MAX_LENGTH
from boxoffice.errors import BoxOfficeError, InvalidContact, TicketsBeingRenewed, TicketsNotReached, TicketsNotStored
from boxoffice.models import Order
from boxoffice.support.actions.order_desk import ask, back, by, order_for, refuse, say
from jobs.admin.reason_form import ReasonForm
from jobs.personal import may_see_personal_data
from tickets.errors import DocumentOutdated
from tickets.models import Ticket
from tickets.selectors import document_of_order
from tickets.storage import StorageFailed, read_document
from tickets.valid_document import require_valid

NAME_PERMISSION = "boxoffice.correct_name"
RENDER_PERMISSION = "boxoffice.render_tickets"
PRINT_PERMISSION = "boxoffice.print_tickets"

_SEND = gettext_lazy("Mail the new tickets as soon as they are there")


class NameForm(ReasonForm):
    """The name from now on, and why."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=NAME_MAX_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
    )
    send = forms.BooleanField(label=_SEND, required=False)
    field_order = ("name", "send", "reason")


class RenderForm(ReasonForm):
    """Why, and the edition that the page saw."""

    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    send = forms.BooleanField(label=_SEND, required=False)
    field_order = ("send", "reason")


def name_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for the name (GET), or correct it and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=NAME_PERMISSION)
    if not may_see_personal_data(request.user):
        raise PermissionDenied  # nobody can correct what he may not read
    form = NameForm(request.POST if request.method == "POST" else None, initial={"name": order.name})
    if form.is_valid():
        try:
            done = correct_name(order_id=order.pk, by=by(request), **form.cleaned_data)
        except InvalidContact as refusal:
            form.add_error("name", str(refusal))
        except BoxOfficeError as refusal:
            return refuse(request, order, refusal)
        else:
            words = [_("Order %(code)s is %(name)s’s now.") % {"code": order.code, "name": done.order.name}]
            if done.is_printed_anew:
                words.append(_("Its tickets are being made anew."))
            if done.is_sent:
                words.append(_("They go to %(email)s.") % {"email": order.email})
            say(request, " ".join(words))
            return back(order)
    title = _("Correct the name of order %(code)s") % {"code": order.code}
    button = _("Correct the name")
    return ask(page, request, order, title=title, button=button, form=form, effects=_effects_of_name(order))


def _effects_of_name(order: Order) -> list[str]:
    valid = Ticket.objects.filter(order_id=order.pk).exclude(status=Ticket.Status.VOID).count()
    if not valid:
        return [_("The order bears the name from now on. It has no valid tickets.")]
    bear = ngettext("%(n)d ticket bears the name.", "%(n)d tickets bear the name.", valid) % {"n": valid}
    if document_of_order(order_id=order.pk) is None:
        return [bear, _("Their file is not there yet: it will have the new name.")]
    return [
        bear,
        _("Their file is made anew, which takes a moment. Seats and codes stay: what is printed admits as before."),
        _("Nobody is written to unless you tick the box."),
    ]


def render_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask (GET), or have the file made anew and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=RENDER_PERMISSION)
    document = document_of_order(order_id=order.pk)
    failed = Ticket.objects.filter(order_id=order.pk, status=Ticket.Status.FAILED).count()
    if document is None and not failed:
        return refuse(request, order, NothingPrinted())
    form = RenderForm(
        request.POST if request.method == "POST" else None, initial={"seen": document.wanted if document else 0}
    )
    if document is None:
        del form.fields["send"]  # the first one is mailed anyway
    if not form.is_valid():
        return ask(
            page,
            request,
            order,
            title=_("Make the tickets of order %(code)s anew?") % {"code": order.code},
            button=_("Make them anew"),
            form=form,
            effects=_effects_of_rendering(order, failed=failed, has_file=document is not None),
        )
    try:
        done = render_tickets(order_id=order.pk, by=by(request), **form.cleaned_data)
    except BoxOfficeError as refusal:
        return refuse(request, order, refusal)
    words = _("The tickets of order %(code)s are being made anew.") % {"code": order.code}
    sent = _("They go to %(email)s.") % {"email": order.email}
    say(request, f"{words} {sent}" if done.is_sent else words)
    return back(order)


def _effects_of_rendering(order: Order, *, failed: int, has_file: bool) -> list[str]:
    made = ngettext(
        "%(n)d ticket that could not be made is tried once more.",
        "%(n)d tickets that could not be made are tried once more.",
        failed,
    ) % {"n": failed}
    if not has_file:
        mailed = _("They go to %(email)s.") % {"email": order.email} if order.email else _("Nobody is written to.")
        return [made, mailed]
    effects = [
        _("The valid tickets are put into a new file. Seats and codes stay: what is printed admits as before."),
        _("The file that is there is handed out until the new one has taken its place."),
        _("Nobody is written to unless you tick the box."),
    ]
    return [made, *effects] if failed else effects


def print_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """The file with the valid tickets, to be opened and printed; back with a sentence where there is none just now."""
    order = order_for(request, order_id=order_id, permission=PRINT_PERMISSION)
    document = document_of_order(order_id=order.pk)
    if document is None:
        return refuse(request, order, TicketsNotStored())
    try:
        content = read_document(document=document)
        require_valid(document=document)
    except DocumentOutdated:
        return refuse(request, order, TicketsBeingRenewed())
    except FileNotFoundError:
        return refuse(request, order, TicketFileLost())
    except StorageFailed:
        return refuse(request, order, TicketsNotReached())
    response = HttpResponse(content, content_type="application/pdf")
    name = _("tickets-%(code)s.pdf") % {"code": order.code}
    response.headers["Content-Disposition"] = content_disposition_header(False, name) or "inline"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
