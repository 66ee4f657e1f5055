"""What all pages that change an order share: whom they let in, how they ask, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from boxoffice.errors import BoxOfficeError
from boxoffice.models import Order
from inventory.errors import InventoryError
from jobs.errors import JobsError


def order_for(request: HttpRequest, *, order_id: int, permission: str) -> Order:
    """The order with its show, venue and hold. Raises PermissionDenied without ``permission``, and Http404."""
    if not request.user.has_perm(permission) or not request.user.has_perm("boxoffice.view_order"):
        raise PermissionDenied
    order = Order.objects.select_related("show__venue", "hold").filter(pk=order_id).first()
    if order is None:
        raise Http404
    return order


def ask(
    page: admin.ModelAdmin,
    request: HttpRequest,
    order: Order,
    *,
    title: str,
    button: str,
    form: forms.Form,
    effects: Sequence[str] = (),
    final: bool = False,
    template: str = "ask.html",
    **context: Any,
) -> TemplateResponse:
    """The page that asks once. effects: what will happen, in sentences. final: it cannot be undone."""
    asked = {"title": title, "button": button, "form": form, "effects": effects, "final": final}
    return order_page(page, request, order, template, **asked, **context)


def order_page(
    page: admin.ModelAdmin, request: HttpRequest, order: Order, template: str, **context: Any
) -> TemplateResponse:
    """A page about the order, with the desk's frame around it and the way back."""
    shared = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "media": page.media,
        "order": order,
        "back_url": address_of_story(order),
    }
    return TemplateResponse(request, f"admin/boxoffice/order/{template}", {**shared, **context})


def address_of_story(order: Order) -> str:
    """Where the order's page is."""
    return reverse("admin:boxoffice_order_change", args=[order.pk])


def back(order: Order) -> HttpResponseRedirect:
    """To the order's page."""
    return HttpResponseRedirect(address_of_story(order))


def refuse(request: HttpRequest, order: Order, refusal: JobsError) -> HttpResponse:
    """Back to the order's page with the sentence of a refusal; what is no refusal is raised again."""
    if not isinstance(refusal, BoxOfficeError | InventoryError):
        raise refusal
    messages.error(request, str(refusal))
    return back(order)


def say(request: HttpRequest, words: str) -> None:
    """What was done, with the way to what becomes of it."""
    messages.success(request, format_html('{} <a href="#timeline">{}</a>', words, _("See what happens to it")))


def by(request: HttpRequest) -> str:
    """Who does it, for the trail."""
    return request.user.get_username()
