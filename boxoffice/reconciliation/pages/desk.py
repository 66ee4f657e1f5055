"""What the pages of the books share: whom they let in and their frame."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse

RECONCILE = "boxoffice.reconcile"


def require(request: HttpRequest, permission: str) -> None:
    """Raises PermissionDenied for who has not this permission."""
    if not request.user.has_perm(permission):
        raise PermissionDenied


def render(page: admin.ModelAdmin, request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
    """A page of ``admin/boxoffice/`` in the desk's frame."""
    shared = {**page.admin_site.each_context(request), "opts": page.opts, "media": page.media}
    return TemplateResponse(request, f"admin/boxoffice/{template}", {**shared, **context})
