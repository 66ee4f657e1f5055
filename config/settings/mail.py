"""Mail through SMTP."""

import environ

from config.environment import read

vars().update(environ.Env.email_url_config(read("EMAIL_URL")))
EMAIL_TIMEOUT = read("EMAIL_TIMEOUT_SECONDS")
DEFAULT_FROM_EMAIL = read("DEFAULT_FROM_EMAIL")
