"""Settings of the ESP's stand-in: those of the sandbox's other pages, and its own variables.

SANDBOX_ESP_PORT         port of the API on 127.0.0.1; 0 takes a free one (8028)
SANDBOX_ESP_KEY          the API key that is let in; without it any ``re_…``
SANDBOX_ESP_WEBHOOK_URL  where events are sent; without it nowhere
MAIL_WEBHOOK_SECRET      signs the events; without it one is drawn, and nobody can check them
"""

from __future__ import annotations

import base64
import os
import secrets

from sandbox.settings import *  # noqa: F403 - one site's settings are the other's with another set of addresses

ROOT_URLCONF = "sandbox.esp.urls"
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024  # more than the API takes, so that it is the API that refuses

SANDBOX_ESP_PORT = int(os.environ.get("SANDBOX_ESP_PORT") or 8028)
SANDBOX_ESP_KEY = os.environ.get("SANDBOX_ESP_KEY") or ""
SANDBOX_ESP_WEBHOOK_URL = os.environ.get("SANDBOX_ESP_WEBHOOK_URL") or ""
MAIL_WEBHOOK_SECRET = (
    os.environ.get("MAIL_WEBHOOK_SECRET") or f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode()}"
)
