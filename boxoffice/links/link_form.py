"""What somebody wants a link to be."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from boxoffice.links.link_words import address_of_show_page, is_page_of_show
from boxoffice.links.when_it_expires import TYPED, clock_of, read_expiry
from boxoffice.links.whose_links import SEES_ALL, shows_to_link
from boxoffice.show_choice import ShowChoice
from inventory.models import Show
from jobs.clock import database_now
from snip.links.codes import clean_alias
from snip.links.create_link import NewLink
from snip.links.edit_link import Wanted
from snip.links.errors import ExpiresInThePast, LinkError
from snip.models import Link, LinkCode
from snip.models.link import MAX_CODE
from snip.scan.refuse_at_once import fit_target

OFFERED = 500
"""Shows in the list to choose from, as on the page of exports."""

_PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class AliasField(forms.CharField):
    """A chosen word; empty for none."""

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value)).strip()
        try:
            word = clean_alias(typed) if typed else ""
        except LinkError as wrong:
            raise ValidationError(str(wrong)) from wrong
        if word and LinkCode.objects.filter(code=word).exists():
            raise ValidationError(_("This word is or was a link’s. Choose another one."))
        return word


class LinkForm(forms.Form):
    """number: drawn with the page, so that the form sent twice is one link. seen: the version that the page showed."""

    show = ShowChoice(Show.objects.none(), label=_("Show"), required=False, empty_label=_("No show"))
    target = forms.CharField(
        label=_("Target"),
        required=False,
        help_text=_("The address of a page. Left empty, it is the page of the show."),
        widget=forms.URLInput(attrs={"class": "vTextField", "placeholder": "https://", **_PLAIN}),
    )
    label = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=100,
        help_text=_("Where it will stand, such as “Poster at the station”. Only you and staff see it."),
        widget=forms.TextInput(attrs={"class": "vTextField"}),
    )
    alias = AliasField(
        label=_("Word of your own"),
        required=False,
        max_length=MAX_CODE,
        help_text=_(
            "Beside the code that is drawn: 3 to 32 letters, digits and hyphens. "
            "Once chosen it is never anybody else’s."
        ),
        widget=forms.TextInput(attrs={"class": "vTextField", **_PLAIN}),
    )
    expires = forms.CharField(
        label=_("Expires"),
        required=False,
        help_text=_("By the clock of the show’s venue; without a show, in UTC. Left empty, never."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=TYPED),
    )
    owner = forms.ModelChoiceField(
        get_user_model().objects.none(), label=_("Owner"), required=False, help_text=_("Who sees it beside staff.")
    )
    number = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4, required=False)
    seen = forms.IntegerField(min_value=1, widget=forms.HiddenInput, required=False)

    def __init__(self, *given: Any, user: Any, link: Link | None = None, **named: Any) -> None:
        named.setdefault("initial", {}).update(_as_it_is(link) if link else {"owner": user.pk})
        super().__init__(*given, **named)
        self.user, self.link = user, link
        self.fields["show"].queryset = _offered(shows_to_link(user), link)  # type: ignore[attr-defined]
        if link is not None:
            del self.fields["alias"]
        if not user.has_perm(SEES_ALL):
            del self.fields["owner"]
        else:
            people = Q(is_staff=True, is_active=True) | Q(pk=link.owner_id if link else None)
            users = get_user_model().objects.filter(people).order_by("username")
            self.fields["owner"].queryset = users  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        show = cleaned.get("show")
        if "target" not in self.errors:
            try:
                typed = self._target(cleaned.get("target", ""), show)
                cleaned["target"] = fit_target(typed)
            except LinkError as wrong:
                self.add_error("target", str(wrong) if typed else _("Enter an address, or choose a show."))
        try:
            cleaned["expires"] = read_expiry(cleaned.get("expires", ""), show=show)
        except (ValueError, ValidationError):
            self.add_error("expires", _("This is no date and time."))
        else:
            # Here too, though whoever writes the link asks again: all that is wrong is told at one press.
            ends = self._expires_at(cleaned["expires"])
            if ends is not None and ends != (self.link and self.link.expires_at) and ends <= database_now():
                self.add_error("expires", str(ExpiresInThePast()))
        return cleaned

    def _target(self, typed: str, show: Show | None) -> str:
        """What was typed; the show's page for nothing, and where the page of the show before has only stayed there."""
        if typed and not (show and self.link and typed == self.link.target and is_page_of_show(self.link)):
            return typed
        return address_of_show_page(show) if show else ""

    @property
    def owner_id(self) -> int | None:
        """Whose it is to be. Who does not see everybody's links keeps and makes his own alone."""
        if "owner" in self.fields:
            owner = self.cleaned_data["owner"]
            return owner.pk if owner else None
        return self.link.owner_id if self.link else self.user.pk

    def new(self) -> NewLink:
        given = self.cleaned_data
        return NewLink(
            target=given["target"],
            label=given["label"],
            alias=given["alias"],
            show_id=given["show"].pk if given["show"] else None,
            expires_at=given["expires"],
        )

    def wanted(self) -> Wanted:
        given = self.cleaned_data
        return Wanted(
            target=given["target"],
            label=given["label"],
            owner_id=self.owner_id,
            show_id=given["show"].pk if given["show"] else None,
            expires_at=self._expires_at(given["expires"]),
        )

    def _expires_at(self, typed: datetime | None) -> datetime | None:
        """What was there before, unless another minute was picked: the field has no seconds."""
        before = self.link.expires_at if self.link else None
        same = before is not None and typed is not None and before.replace(second=0, microsecond=0) == typed
        return before if same else typed


def _as_it_is(link: Link) -> dict[str, Any]:
    show = Show.objects.select_related("venue").filter(pk=link.show_id or 0).first()
    expires = link.expires_at.astimezone(clock_of(show)).strftime(TYPED) if link.expires_at else ""
    return {
        "show": link.show_id,
        "target": link.target,
        "label": link.label,
        "expires": expires,
        "owner": link.owner_id,
        "seen": link.version,
    }


def _offered(shows: QuerySet[Show], link: Link | None) -> QuerySet[Show]:
    """The newest, and the one that the link is of already."""
    ids = list(shows.order_by("-starts_at", "-pk").values_list("pk", flat=True)[:OFFERED])
    if link is not None and link.show_id is not None:
        ids.append(link.show_id)
    return Show.objects.filter(pk__in=ids).select_related("venue").order_by("-starts_at", "-pk")
