"""Addresses of the mailbox pages and of the API for tests."""

from __future__ import annotations

from django.urls import path

from sandbox import api, pages
from sandbox.esp import pages as esp_pages

urlpatterns = [
    path("", pages.mailbox, name="mailbox"),
    path("messages/<str:message_id>/", pages.message, name="message"),
    path("messages/<str:message_id>/html", pages.message_html, name="html"),
    path("messages/<str:message_id>/raw.eml", pages.raw, name="raw"),
    path("messages/<str:message_id>/attachments/<int:number>", pages.attachment, name="attachment"),
    path("knobs/", pages.knobs, name="knobs"),
    path("assets/<str:name>", pages.asset, name="asset"),
    path("api/messages", api.messages),
    path("api/messages/<str:message_id>", api.message),
    path("api/knobs", api.knobs),
    path("api/esp/knobs", api.esp_knob_values),
    path("esp/knobs/", esp_pages.knobs, name="esp_knobs"),
    path("messages/<str:message_id>/happen", esp_pages.happen, name="happen"),
]
