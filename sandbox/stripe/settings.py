"""Settings of the payment provider's stand-in: those of the sandbox's other pages, and its own variables.

SANDBOX_STRIPE_PORT         port on 127.0.0.1 of the API, the payment page and the knobs; 0 takes a free one (8026)
SANDBOX_STRIPE_DIR          folder of its state; without it everything is forgotten when it stops
SANDBOX_STRIPE_WEBHOOK_URL  where events are sent; without it nowhere, until an endpoint is set on its page
STRIPE_API_KEY              the secret key that is let in; without it any ``sk_test_…``
STRIPE_WEBHOOK_SECRET       signs the events; without it one is drawn and shown on the page of deliveries
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from sandbox.settings import *  # noqa: F403 - one site's settings are the other's with another set of addresses

ROOT_URLCONF = "sandbox.stripe.urls"
CSRF_COOKIE_NAME = "sandbox_stripe_csrf"
# A session may have a hundred line items, and each of them fifty pairs of metadata.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

SANDBOX_STRIPE_PORT = int(os.environ.get("SANDBOX_STRIPE_PORT") or 8026)
SANDBOX_STRIPE_DIR = Path(folder).absolute() if (folder := os.environ.get("SANDBOX_STRIPE_DIR")) else None
SANDBOX_STRIPE_WEBHOOK_URL = os.environ.get("SANDBOX_STRIPE_WEBHOOK_URL") or ""
STRIPE_API_KEY = os.environ.get("STRIPE_API_KEY") or ""
STRIPE_WEBHOOK_SECRET = os.environ.get("STRIPE_WEBHOOK_SECRET") or f"whsec_{secrets.token_hex(16)}"
