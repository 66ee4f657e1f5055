"""The sandbox's own settings, from its own environment variables. It has no database and no users.

SMTP_PORT        port of the mail server on 127.0.0.1; 0 takes a free one (1025)
SANDBOX_PORT     port of the mailbox page on 127.0.0.1; 0 takes a free one (8025)
SANDBOX_MAILDIR  folder of the mails, a Maildir (.local/mailbox)
"""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path

HOST = "127.0.0.1"
SMTP_PORT = int(os.environ.get("SMTP_PORT") or 1025)
SANDBOX_PORT = int(os.environ.get("SANDBOX_PORT") or 8025)
SANDBOX_MAILDIR = Path(os.environ.get("SANDBOX_MAILDIR") or ".local/mailbox").absolute()

DEBUG = False
# Protects one form against other sites; a new one each time costs nobody anything.
SECRET_KEY = secrets.token_urlsafe(40)
# Other names are refused, so that a page elsewhere cannot read the mails by pointing its own name here.
ALLOWED_HOSTS = [HOST, "localhost", "[::1]"]
ROOT_URLCONF = "sandbox.urls"
INSTALLED_APPS = ["sandbox"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "sandbox.content_security.ContentSecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
CSRF_COOKIE_NAME = "sandbox_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Strict"
SECURE_CONTENT_TYPE_NOSNIFF = True
# With "no-referrer" browsers send the origin "null" with a form, and the form is refused.
SECURE_REFERRER_POLICY = "same-origin"
LOGGING_CONFIG = None
# A refusal is what somebody asked for; what is told are faults of the sandbox itself, with their tracebacks.
logging.getLogger("django.request").addFilter(lambda record: bool(record.exc_info))
