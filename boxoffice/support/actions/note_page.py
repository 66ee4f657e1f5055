"""The page on which staff write a note about an order. The form is on the order's page, too."""

from __future__ import annotations

from uuid import uuid4

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from boxoffice.changes.write_note import write_note
from boxoffice.models.order_note import MAX_NOTE
from boxoffice.support.actions.order_desk import ask, back, by, order_for

PERMISSION = "boxoffice.add_ordernote"


class NoteForm(forms.Form):
    """What to remember. attempt: drawn by the page, so that the form sent twice is one note."""

    text = forms.CharField(
        label=gettext_lazy("Note"),
        max_length=MAX_NOTE,
        widget=forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"}),
        help_text=gettext_lazy("For those who work here. Fans never see it. Kept with your name."),
    )
    attempt = forms.UUIDField(widget=forms.HiddenInput)


def empty_note() -> NoteForm:
    """The form as a page shows it first."""
    return NoteForm(initial={"attempt": uuid4()}, auto_id="note_%s")


def note_page(page: admin.ModelAdmin, request: HttpRequest, order_id: int) -> HttpResponse:
    """Ask for the note (GET), or write it down and say so (POST)."""
    order = order_for(request, order_id=order_id, permission=PERMISSION)
    form = NoteForm(request.POST) if request.method == "POST" else empty_note()
    if not form.is_valid():
        title = _("Write a note on order %(code)s") % {"code": order.code}
        return ask(page, request, order, title=title, button=_("Write the note"), form=form)
    if write_note(order_id=order.pk, by=by(request), **form.cleaned_data):
        messages.success(request, _("The note stands on this page now."))
    else:
        messages.warning(request, _("This note was written already. Nothing more was done."))
    return back(order)
