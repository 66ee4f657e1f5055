"""Which dead jobs a page is about: the options of ``manage.py replay_dlq``, as an address and a form have them."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from jobs.dead.instants import read_instant
from jobs.dead.selection import Filter
from jobs.queues import all_queues

MAX_WORDS = 300
"""Characters of an option, as on the command line."""


class InstantField(forms.CharField):
    """An instant or an age, kept as it was typed."""

    def clean(self, value: Any) -> str:
        text: str = super().clean(value)
        if text:
            try:
                read_instant(text)
            except (ValueError, OverflowError):
                raise forms.ValidationError(
                    gettext("Write an age such as 2h or 3d, or an instant such as 2026-11-29T18:00+01:00.")
                ) from None
        return text


class DeadFilterForm(forms.Form):
    """What to choose by. All that is given must hold."""

    task = forms.CharField(label=_("Task"), max_length=MAX_WORDS, required=False)
    cause = forms.CharField(label=_("Cause, exactly"), max_length=MAX_WORDS, required=False)
    error = forms.CharField(label=_("Part of the error"), max_length=MAX_WORDS, required=False)
    queue = forms.ChoiceField(label=_("Queue"), required=False)
    subject = forms.CharField(
        label=_("About"), max_length=MAX_WORDS, required=False, widget=forms.TextInput(attrs={"placeholder": "order:…"})
    )
    since = InstantField(
        label=_("Died since"), max_length=40, required=False, widget=forms.TextInput(attrs={"placeholder": "2h"})
    )
    until = InstantField(
        label=_("Died until"), max_length=40, required=False, widget=forms.TextInput(attrs={"placeholder": "30m"})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        queue: Any = self.fields["queue"]
        queue.choices = [("", _("All")), *((each.name, each.name) for each in all_queues())]
        self.fields["task"].widget.attrs["list"] = "known-tasks"
        self.known_tasks = sorted(settings.LEDGER_TASKS)

    @property
    def given(self) -> dict[str, str]:
        """What was typed and can be looked for; the rest stands beside its field with the reason."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


def read_filter(given: dict[str, str], *, now: datetime) -> Filter:
    """The filter that these options make, also those in quarantine. now: the database's."""
    options: dict[str, Any] = dict(given)
    for name in ("since", "until"):
        if name in given:
            options[name] = read_instant(given[name]).seen_from(now)
    return Filter(**options, include_quarantined=True)


def chosen_by(typed: QueryDict) -> tuple[DeadFilterForm, dict[str, str]]:
    """The form with what an address or a form says, and the options that can be looked for."""
    form = DeadFilterForm(typed)
    return form, form.given


def as_query(given: dict[str, str], **more: Any) -> str:
    """The options as an address has them."""
    return urlencode({**given, **more})


def as_command(command: str, given: dict[str, str]) -> str:
    """The same on the command line, as a dry run."""
    options = " ".join(f"--{name} {shlex.quote(value)}" for name, value in given.items())
    return " ".join(filter(None, [f"manage.py {command}", options, "--dry-run"]))
