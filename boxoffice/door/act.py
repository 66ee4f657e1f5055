"""What the door's forms ask for: a scan, an admission by hand, an undone one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from boxoffice.door.spoken import Spoken, refused, spoken
from tickets.admit import scan
from tickets.admit_by_hand import admit_by_hand
from tickets.door_answer import Door, DoorAnswer
from tickets.errors import DoorRefused, TicketBusy
from tickets.undo_admission import undo_admission

LONGEST_CODE = 1000  # characters; any QR code that people hold into a camera


class DoorForm(forms.Form):
    """All that a door may send. NUL characters are refused, as PostgreSQL has no place for them."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("scan", "by_hand", "undo")])
    code = forms.CharField(max_length=LONGEST_CODE)
    how = forms.ChoiceField(choices=[(name, name) for name in ("camera", "scanner", "typed")], required=False)
    attempt = forms.UUIDField(required=False)
    reason = forms.CharField(max_length=LONGEST_CODE, required=False)


def act(data: QueryDict, *, door: Door) -> Spoken:
    """Do what the form says and return what the person reads. A refusal is an answer as well."""
    form = DoorForm(data)
    if not form.is_valid():
        return refused(_("There was no code to read. Enter the eight characters beside the QR code."))
    try:
        return spoken(_done(form.cleaned_data, door=door))
    except DoorRefused as error:
        return refused(str(error))
    except TicketBusy:
        return refused(_("This ticket is being changed at this very moment. Scan it again."))


def _done(given: dict[str, Any], *, door: Door) -> DoorAnswer:
    code, reason, attempt = given["code"], given["reason"], given["attempt"]
    if given["do"] == "by_hand":
        return admit_by_hand(code=code, reason=reason, door=door, attempt=attempt)
    if given["do"] == "undo":
        return undo_admission(code=code, reason=reason, door=door, attempt=attempt)
    return scan(text=code, door=door, from_picture=given["how"] in ("camera", "scanner"), attempt=attempt)
