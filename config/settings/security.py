"""Secrets, cookies, and a Content-Security-Policy without inline script or style."""

from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.environment import read
from config.settings.apps import DEBUG, PUBLIC_URL
from config.settings.payments import PAYMENT_PAGES

SECRET_KEY = read("SECRET_KEY")
if len(SECRET_KEY) < 32 or len(set(SECRET_KEY)) < 8 or "insecure" in SECRET_KEY or "change" in SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY is a default or too weak: set it to 50 random characters.")
if DEBUG and urlsplit(PUBLIC_URL).hostname not in {"127.0.0.1", "::1", "localhost"}:
    raise ImproperlyConfigured("DEBUG shows settings and code to everybody: unset it, or make PUBLIC_URL a local one.")

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF, PAYMENT_PAGES],
        "frame-ancestors": [NONE],
    }
}

_https = PUBLIC_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _https
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = True
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if _https else []
SECURE_SSL_REDIRECT = _https
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^metrics$"]  # these speak plain HTTP to the process itself
SECURE_HSTS_SECONDS = 31_536_000 if _https and not DEBUG else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
TRUSTED_PROXY = read("TRUSTED_PROXY")
if TRUSTED_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
