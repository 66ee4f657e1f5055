"""The page on which staff put so many places of an area aside, or back on sale: places that have no number.

First how many; then it asks once; then it is done. Which ones nobody minds: fans choose none of them by itself.
"""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from boxoffice.shows.put_aside import put_places_aside, put_places_back
from boxoffice.shows.show_desk import ask, refuse
from inventory.block_places import Area, areas_of
from inventory.models import Show
from jobs.admin.reason_form import ReasonForm
from jobs.errors import JobsError

ASIDE, BACK = "aside", "back"


class PlacesForm(forms.Form):
    """How many places of the area, and what is to become of them."""

    what = forms.ChoiceField(
        label=gettext_lazy("What is to be done?"),
        widget=forms.RadioSelect,
        choices=[(ASIDE, gettext_lazy("Put aside: nobody can buy them")), (BACK, gettext_lazy("Put back on sale"))],
        initial=ASIDE,
    )
    places = forms.IntegerField(
        label=gettext_lazy("How many places?"),
        min_value=1,
        widget=forms.NumberInput(attrs={"class": "vIntegerField", "autofocus": True}),
    )

    def __init__(self, data: QueryDict | None, *, area: Area) -> None:
        super().__init__(data)
        self.area = area

    def clean(self) -> dict[str, object]:
        cleaned = super().clean() or self.cleaned_data
        places = cleaned.get("places")
        if places and cleaned.get("what"):
            back = cleaned["what"] == BACK
            most = self.area.aside if back else self.area.free
            if places > most:
                self.add_error("places", _only(most, back=back))
        return cleaned


def places_page(page: admin.ModelAdmin, request: HttpRequest, show: Show) -> HttpResponse:
    """Choose (GET), ask (GET with ``places``), or do it and say so (POST). ``area`` names the area."""
    typed = request.POST if request.method == "POST" else request.GET
    area = next((area for area in areas_of(show_id=show.pk) if key_of(area) == typed.get("area")), None)
    if area is None:
        raise Http404
    if request.method == "POST":
        return _do(page, request, show, area, typed)
    form = PlacesForm(typed if "places" in typed else None, area=area)
    if form.is_valid():
        return _ask(page, request, show, area, form.cleaned_data, ReasonForm(), aside=area.aside)
    return ask(
        page,
        request,
        show,
        title=_("Put places of “%(area)s” aside, or back") % {"area": area.name},
        button=_("Go on…"),
        form=form,
        template="choose.html",
        effects=[_("%(free)d of %(total)d are free, %(aside)d are aside.") % vars(area)],
        hidden=[("area", key_of(area))],
    )


def key_of(area: Area) -> str:
    """What names the area in an address."""
    return f"{area.tier_id} {area.zone}"


def _ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    show: Show,
    area: Area,
    typed: dict[str, object],
    form: ReasonForm,
    *,
    aside: int,
) -> HttpResponse:
    places, back = int(str(typed["places"])), typed["what"] == BACK
    about = {"n": places, "area": area.name}
    if back:
        title = ngettext(
            "Put %(n)d place of “%(area)s” back on sale?", "Put %(n)d places of “%(area)s” back on sale?", places
        )
        effects = [_("On sale again at once: %(places)s.") % {"places": in_words(area.name, places)}]
    else:
        title = ngettext("Put %(n)d place of “%(area)s” aside?", "Put %(n)d places of “%(area)s” aside?", places)
        effects = [
            _("Nobody can buy them until they are put back: %(places)s.") % {"places": in_words(area.name, places)}
        ]
    left = area.free + places if back else area.free - places
    effects.append(_("Free after that: %(n)d.") % {"n": left})
    hidden = {"area": key_of(area), "what": str(typed["what"]), "places": str(places), "seen": str(aside)}
    return ask(
        page,
        request,
        show,
        title=title % about,
        button=_("Put back on sale") if back else pgettext("button", "Put aside"),
        form=form,
        effects=effects,
        hidden=list(hidden.items()),
    )


def _do(page: admin.ModelAdmin, request: HttpRequest, show: Show, area: Area, typed: QueryDict) -> HttpResponse:
    here = f"{reverse('admin:inventory_show_aside', args=[show.pk])}?{urlencode({'area': key_of(area)})}"
    back, places, seen = typed.get("what") == BACK, _number(typed, "places"), _number(typed, "seen")
    form = ReasonForm(typed)
    if not form.is_valid():
        said = {"what": typed.get("what", ASIDE), "places": places}
        return _ask(page, request, show, area, said, form, aside=seen)
    try:
        (put_places_back if back else put_places_aside)(
            show_id=show.pk,
            area=area,
            count=places,
            aside=seen,
            by=request.user.get_username(),
            reason=form.cleaned_data["reason"],
        )
    except JobsError as refusal:
        return refuse(request, refusal, to=here)
    words = _("On sale again: %(places)s.") if back else _("Put aside: %(places)s.")
    messages.success(request, words % {"places": in_words(area.name, places)})
    return HttpResponseRedirect(reverse("admin:inventory_show_aside", args=[show.pk]))


def _number(typed: QueryDict, name: str) -> int:
    text = typed.get(name, "")
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        raise Http404
    return int(text)


def in_words(area: str, places: int) -> str:
    """ "20 × Standing"."""
    return f"{places} × {area}"


def _only(most: int, *, back: bool) -> str:
    if not most:
        return _("No place is aside there.") if back else _("No place is free there.")
    if back:
        words = ngettext("Only %(n)d place is aside there.", "Only %(n)d places are aside there.", most)
    else:
        words = ngettext("Only %(n)d place is free there.", "Only %(n)d places are free there.", most)
    return words % {"n": most}
