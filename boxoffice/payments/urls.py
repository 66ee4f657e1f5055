"""The addresses of paying: where a browser comes back to, and where the provider tells what happened."""

from django.urls import path, re_path

from boxoffice.payments.webhook import stripe_webhook
from boxoffice.storefront.paid import paid

urlpatterns = [
    path("orders/<slug:token>/paid/", paid, name="paid"),
    re_path(r"^webhooks/stripe/?$", stripe_webhook, name="stripe_webhook"),
]
