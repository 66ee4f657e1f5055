"""Settings of the push service's stand-in: those of the sandbox's other pages, and its own variable.

SANDBOX_PUSH_PORT  port on 127.0.0.1 of the endpoints, of the page and of the knobs; 0 takes a free one (8027)
"""

from __future__ import annotations

import os

from sandbox.settings import *  # noqa: F403 - one site's settings are the other's with another set of addresses

ROOT_URLCONF = "sandbox.push.urls"
CSRF_COOKIE_NAME = "sandbox_push_csrf"

SANDBOX_PUSH_PORT = int(os.environ.get("SANDBOX_PUSH_PORT") or 8027)
