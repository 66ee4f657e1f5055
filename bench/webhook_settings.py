"""Production's settings, with the plain way to take in a webhook: all of it in the request."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.webhook_urls"
