"""What all pages about one link share: whom they let in, their frame, and the way back."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from boxoffice.links.whose_links import SEES, links_seen_by
from snip.models import Link

LIST = "admin:snip_link_changelist"


def require(request: HttpRequest, permission: str) -> None:
    """Raises PermissionDenied unless the login may see links and has ``permission``."""
    if not request.user.has_perm(permission) or not request.user.has_perm(SEES):
        raise PermissionDenied


def link_for(request: HttpRequest, *, link_id: int, permission: str) -> Link:
    """One of the links that this login sees. Of another's not even that it is there.

    Raises PermissionDenied without ``permission``, and Http404.
    """
    require(request, permission)
    links = links_seen_by(request.user).select_related("owner").prefetch_related("codes")
    link = links.filter(pk=link_id).first()
    if link is None:
        raise Http404
    return link


def address_of_link(link_id: int) -> str:
    """Where the link's page is."""
    return reverse("admin:snip_link_change", args=[link_id])


def render(page: admin.ModelAdmin, request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
    """A page in the admin's frame."""
    shared = {**page.admin_site.each_context(request), "opts": page.opts, "media": page.media}
    return TemplateResponse(request, f"admin/snip/link/{template}", {**shared, **context})


def refuse(request: HttpRequest, refusal: Exception, *, to: str) -> HttpResponse:
    """To that address, with the sentence of a refusal."""
    messages.error(request, str(refusal))
    return HttpResponseRedirect(to)
