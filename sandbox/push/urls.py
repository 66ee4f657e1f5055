"""Addresses of the endpoints, of what tests use, and of the pages."""

from __future__ import annotations

from django.urls import path

from sandbox import pages as mailbox_pages
from sandbox.push import control, pages
from sandbox.push.receive import receive

urlpatterns = [
    path("push/<str:subscription_id>", receive, name="endpoint"),
    path("", pages.home, name="home"),
    path("knobs/", pages.knobs, name="knobs"),
    path("assets/<str:name>", mailbox_pages.asset, name="asset"),
    path("sandbox/push/subscriptions", control.subscriptions),
    path("sandbox/push/subscriptions/<str:subscription_id>/end", control.end_subscription),
    path("sandbox/push/messages", control.messages),
    path("sandbox/push/knobs", control.knobs),
    path("sandbox/push/reset", control.reset),
]
