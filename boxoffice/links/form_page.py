"""The pages on which a link is made, and changed."""

from __future__ import annotations

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from boxoffice.links.link_desk import LIST, address_of_link, link_for, refuse, render, require
from boxoffice.links.link_form import LinkForm
from boxoffice.links.made_before import made_with
from jobs.errors import JobsError
from snip.links.create_link import create_link
from snip.links.edit_link import edit_link
from snip.links.errors import AliasTaken, ExpiresInThePast, LinkError, LinksMadeAlready
from snip.models import Link

ADD, CHANGE = "snip.add_link", "snip.change_link"


def add_page(page: admin.ModelAdmin, request: HttpRequest) -> HttpResponse:
    """The empty form (GET, with ``show`` for one that is chosen), or make it and go to its page (POST)."""
    require(request, ADD)
    # Before the form is looked at: the word that the first press has taken would be its fault.
    if request.method == "POST" and (made := made_with(request, number=request.POST.get("number", ""))):
        return _made_already(request, made)
    initial = {"show": request.GET.get("show", "")}
    form = LinkForm(request.POST if request.method == "POST" else None, user=request.user, initial=initial)
    if request.method == "POST" and form.is_valid():
        by, number = request.user.get_username(), form.cleaned_data["number"]
        try:
            link = create_link(new=form.new(), owner_id=form.owner_id, by=by, number=number)
        except LinksMadeAlready:
            return _made_already(request, made_with(request, number=str(number)))
        except JobsError as refusal:
            _tell(form, refusal)
        else:
            messages.success(request, _("The link is made. Its target is checked first, which takes some seconds."))
            return HttpResponseRedirect(address_of_link(link.pk))
    title, back = _("New link"), reverse(LIST)
    return render(page, request, "form.html", title=title, form=form, button=_("Make the link"), back_url=back)


def _made_already(request: HttpRequest, link: Link | None) -> HttpResponse:
    messages.warning(request, _("That link was made already."))
    return HttpResponseRedirect(address_of_link(link.pk) if link else reverse(LIST))


def edit_page(page: admin.ModelAdmin, request: HttpRequest, link_id: int) -> HttpResponse:
    """The form with what the link is (GET), or change it (POST)."""
    link = link_for(request, link_id=link_id, permission=CHANGE)
    back = address_of_link(link.pk)
    form = LinkForm(request.POST if request.method == "POST" else None, user=request.user, link=link)
    if request.method == "POST" and form.is_valid():
        seen = form.cleaned_data["seen"] or 0
        try:
            edit_link(link_id=link.pk, seen=seen, wanted=form.wanted(), by=request.user.get_username())
        except (ExpiresInThePast, AliasTaken) as refusal:
            _tell(form, refusal)
        except LinkError as refusal:
            return refuse(request, refusal, to=back)
        else:
            messages.success(request, _told(link.target != form.cleaned_data["target"]))
            return HttpResponseRedirect(back)
    return render(page, request, "form.html", title=_("Change the link"), form=form, button=_("Save"), back_url=back)


def _told(is_new_target: bool) -> str:
    if is_new_target:
        return _("Saved. The new target is checked first; until it has passed, the link leads where it led before.")
    return _("Saved.")


def _tell(form: LinkForm, refusal: JobsError) -> None:
    """Where on the form it belongs; what is no refusal is raised again."""
    if not isinstance(refusal, LinkError):
        raise refusal
    field = {AliasTaken: "alias", ExpiresInThePast: "expires"}.get(type(refusal))
    form.add_error(field, str(refusal))
