"""Addresses of the API, and of what tests ask for."""

from __future__ import annotations

from django.urls import path

from sandbox.esp import control
from sandbox.esp.api import emails

urlpatterns = [
    path("emails", emails),
    path("sandbox/esp/requests", control.requests),
    path("sandbox/esp/deliveries", control.deliveries),
    path("sandbox/esp/endpoint", control.endpoint),
    path("sandbox/esp/reset", control.reset),
]
