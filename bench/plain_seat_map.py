"""The addresses of the box office, and beside them a plain page that draws an element for each seat of a show."""

from __future__ import annotations

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.urls import include, path, reverse
from django.utils.html import format_html

from boxoffice.storefront.show_seats import layout_address
from inventory.selectors import announced_show

SCRIPT = Path(__file__).with_suffix(".js").read_text()
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Plain seats</title>
<script type="module" src="{script}"></script>
<svg id="map" width="800" height="600" data-layout="{layout}" data-states="{states}"></svg><p id="chosen"></p></html>"""


def plain_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The same layout and the same states, under the same addresses."""
    layout, states = layout_address(announced_show(slug=slug)), reverse("show-states", args=[slug])
    return HttpResponse(format_html(PAGE, script=reverse("plain-script"), layout=layout, states=states))


def plain_script(request: HttpRequest) -> HttpResponse:
    headers = {"Cache-Control": "max-age=31536000, immutable"}
    return HttpResponse(SCRIPT, content_type="text/javascript", headers=headers)


urlpatterns = [
    path("plain/script.js", plain_script, name="plain-script"),
    path("plain/<slug:slug>/", plain_page),
    path("", include("config.urls")),
]
