"""Mail, through SMTP or an ESP."""

from urllib.parse import unquote, urlsplit

import environ

from config.environment import read

_url = urlsplit(read("EMAIL_URL"))
MAIL_PROVIDER = "resend" if _url.scheme.startswith("resend") else "smtp"
EMAIL_TIMEOUT = read("EMAIL_TIMEOUT_SECONDS")
ANYMAIL: dict[str, str | int] = {}
if MAIL_PROVIDER == "resend":
    EMAIL_BACKEND = "notifications.channels.email.resend.EmailBackend"
    ANYMAIL = {
        "RESEND_API_KEY": unquote(_url.username or ""),
        "RESEND_API_URL": f"http{'' if _url.scheme == 'resend+http' else 's'}://{_url.netloc.rpartition('@')[2]}/",
        "REQUESTS_TIMEOUT": EMAIL_TIMEOUT,
    }
else:
    vars().update(environ.Env.email_url_config(read("EMAIL_URL")))
MAIL_WEBHOOK_SECRET = read("MAIL_WEBHOOK_SECRET")
MAIL_ATTACHMENTS_MB = read("MAIL_ATTACHMENTS_MB")
DEFAULT_FROM_EMAIL = read("DEFAULT_FROM_EMAIL")
