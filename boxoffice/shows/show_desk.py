"""What all pages about one show share: whom they let in, how they ask, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from boxoffice.errors import BoxOfficeError
from boxoffice.shows.errors import ShowHasEnded
from inventory.errors import InventoryError, TransitionRefused
from inventory.models import Show
from jobs.errors import JobsError


def show_for(request: HttpRequest, *, show_id: int, permission: str) -> Show:
    """The show with its venue. Raises PermissionDenied without ``permission``, and Http404."""
    if not request.user.has_perm(permission) or not request.user.has_perm("inventory.view_show"):
        raise PermissionDenied
    show = Show.objects.select_related("venue").filter(pk=show_id).first()
    if show is None:
        raise Http404
    return show


def ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    show: Show,
    *,
    title: str,
    button: str,
    form: forms.Form,
    effects: Sequence[str] = (),
    template: str = "ask.html",
    **context: Any,
) -> TemplateResponse:
    """The page that asks. effects: what will happen, in sentences."""
    about = {"title": title, "button": button, "form": form, "effects": effects}
    return render(page, request, show, template=template, **about, **context)


def render(
    page: admin.ModelAdmin, request: HttpRequest, show: Show, *, template: str, **context: Any
) -> TemplateResponse:
    """A page about the show, in the admin's frame."""
    shared = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "media": page.media,
        "show": show,
        "back_url": address_of_show(show),
    }
    return TemplateResponse(request, f"admin/inventory/show/{template}", {**shared, **context})


def why_not(show: Show) -> BoxOfficeError | InventoryError:
    """Why something is refused that was not offered for a show that stands so: it has ended, or has changed."""
    has_ended = show.status in (Show.Status.CANCELLED, Show.Status.OVER)
    return ShowHasEnded() if has_ended else TransitionRefused()


def address_of_show(show: Show) -> str:
    """Where the show's page is."""
    return reverse("admin:inventory_show_change", args=[show.pk])


def refuse(request: HttpRequest, refusal: JobsError, *, to: str) -> HttpResponse:
    """To that address, with the sentence of a refusal; what is no refusal is raised again."""
    if not isinstance(refusal, BoxOfficeError | InventoryError):
        raise refusal
    messages.error(request, str(refusal))
    return HttpResponseRedirect(to)
