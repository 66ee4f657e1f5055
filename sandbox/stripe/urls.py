"""Addresses of the API, of the payment page and of the sandbox's own pages."""

from __future__ import annotations

from django.urls import path

from sandbox import pages as mailbox_pages
from sandbox.stripe import balance_report, control, dispute_pages, knob_pages, payment_pages
from sandbox.stripe.api import api

urlpatterns = [
    path("v1/<path:path>", api),
    path("c/pay/<str:session_id>", payment_pages.pay, name="pay"),
    path("c/pay/<str:session_id>/3d-secure", payment_pages.three_d_secure, name="three_d_secure"),
    path("", knob_pages.home, name="home"),
    path("knobs/", knob_pages.knobs, name="knobs"),
    path("deliveries/<int:delivery_id>/again", knob_pages.send_again, name="send_again"),
    path("disputes/<str:dispute_id>", dispute_pages.dispute, name="dispute"),
    path("report.csv", balance_report.report, name="report"),
    path("assets/<str:name>", mailbox_pages.asset, name="asset"),
    path("sandbox/stripe/knobs", control.knobs),
    path("sandbox/stripe/knobs/reset", control.reset_knobs),
    path("sandbox/stripe/reset", control.reset),
    path("sandbox/stripe/pay", control.pay),
    path("sandbox/stripe/payout", control.payout),
    path("sandbox/stripe/dispute", control.dispute),
    path("sandbox/stripe/payments", control.payments),
    path("sandbox/stripe/settle", control.settle),
    path("sandbox/stripe/endpoint", control.endpoint),
    path("sandbox/stripe/deliveries", control.deliveries),
    path("sandbox/stripe/deliveries/<int:delivery_id>/again", control.send_again),
]
