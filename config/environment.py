"""Every environment variable that BoxOffice reads, and the one place that reads them.

The table below is the source of ``docs/settings.md`` (a test keeps them equal). A variable that is missing or
wrong stops the start with a sentence that says what to set.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from config.acceptable import (
    Check,
    address,
    addresses,
    anything,
    at_least,
    bearer,
    beginning,
    between,
    contact,
    event_secret,
    fees,
    mail_provider,
    one_of,
    push_key,
    push_services,
    safe_site,
    sender,
    signing_keys,
    site,
    yes_or_no,
)
from config.shards import are_shards
from config.ticket_storage import is_ticket_storage

REQUIRED = object()


@dataclass(frozen=True)
class Variable:
    """One environment variable: name, how it is read, default (or REQUIRED), what it is for, what it accepts."""

    name: str
    cast: str  # a method of environ.Env: str, bool, int, list, url
    default: Any
    purpose: str
    example: str = ""
    accepts: Check = anything

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


VARIABLES = (
    Variable("SECRET_KEY", "str", REQUIRED, "Signs sessions and CSRF tokens: 50 random characters."),
    Variable(
        "DEBUG",
        "bool",
        False,
        "Django's debug pages. Refused unless PUBLIC_URL is a local address.",
        accepts=yes_or_no,
    ),
    Variable("ALLOWED_HOSTS", "list", ["localhost", "127.0.0.1"], "Host names that the site answers to, by commas."),
    Variable(
        "PUBLIC_URL",
        "str",
        "http://127.0.0.1:8000",
        "Absolute address of the site, without a slash at its end; links in mails and tickets begin with it.",
        "https://tickets.example.org",
        accepts=site,
    ),
    Variable(
        "TRUSTED_PROXY",
        "bool",
        False,
        "Believe X-Forwarded-Proto, and the last address of X-Forwarded-For. Only where a proxy sets the one and adds "
        "to the other, and strips the client's own.",
        accepts=yes_or_no,
    ),
    Variable(
        "STAFF_SECOND_FACTOR",
        "bool",
        True,
        "Whether everybody who works at the desk has to log in with a code from a telephone beside the password. Off, "
        "it is asked of those who have set it up. See docs/roles.md.",
        accepts=yes_or_no,
    ),
    Variable(
        "DATABASE_URL",
        "str",
        REQUIRED,
        "PostgreSQL 15 or newer.",
        "postgres://user:password@host:5432/name",
        accepts=address("postgres", "postgresql", "psql", "pgsql", path=True),
    ),
    Variable(
        "DATABASE_POOL_SIZE",
        "int",
        0,
        "Connections that a web process pools; 0 means plain persistent ones. `config/wsgi.py` sets 8 for itself; "
        "workers, relay and beat must stay at 0.",
        accepts=at_least(0),
    ),
    Variable(
        "DATABASE_POOLER",
        "str",
        "none",
        "`transaction` where a pooler such as PgBouncer stands before PostgreSQL, in whatever mode, for web, relay and "
        "workers alike: they then rely on no session, and the relay polls. The role must bring the time limits "
        "`idle_in_transaction_session_timeout` and `lock_timeout` along; a start without them says how.",
        accepts=one_of("none", "transaction"),
    ),
    Variable(
        "DATABASE_SHARDS",
        "str",
        "",
        "Further databases, each with a ledger of its own beside its rows: `alias=address`, parted by spaces. "
        "`manage.py migrate --database ALIAS` and `manage.py relay --database ALIAS` for each.",
        "north=postgres://user:password@host:5432/north",
        accepts=are_shards,
    ),
    Variable(
        "BROKER_URL",
        "str",
        REQUIRED,
        "RabbitMQ or Redis.",
        "amqp://user:password@host:5672/vhost",
        accepts=addresses("amqp", "amqps", "pyamqp", "redis", "rediss"),
    ),
    Variable(
        "REDIS_URL",
        "str",
        REQUIRED,
        "Redis for limits and caches.",
        "redis://host:6379/0",
        accepts=address("redis", "rediss", "unix"),
    ),
    Variable(
        "EMAIL_URL",
        "str",
        "smtp://127.0.0.1:1025",
        "The mail provider: an SMTP server, or `resend://KEY@api.resend.com` for the API of the ESP Resend. "
        "`resend+http://` is for a stand-in on this machine.",
        "smtp+tls://user:password@host:587",
        accepts=mail_provider,
    ),
    Variable(
        "MAIL_WEBHOOK_SECRET",
        "str",
        "",
        "Signing secret of the ESP's webhook endpoint, which is PUBLIC_URL with `/webhooks/mail/` behind it. Needed "
        "with an ESP; by SMTP nobody tells what became of a mail.",
        "whsec_...",
        accepts=event_secret,
    ),
    Variable(
        "MAIL_ATTACHMENTS_MB",
        "int",
        10,
        "How large the attachments of one mail may be together. What is larger becomes a link. Servers that receive "
        "mail often stop at 10 or 20 MB, and mail adds a third to each.",
        accepts=at_least(1),
    ),
    Variable(
        "EMAIL_TIMEOUT_SECONDS",
        "int",
        10,
        "How long one step of sending may take, by SMTP or to an ESP, before it counts as failed.",
        accepts=at_least(1),
    ),
    Variable(
        "MAIL_RATE_PER_SECOND",
        "int",
        0,
        "How many mails the mail provider takes in a second, from all workers together; 0 for no limit. What waits for "
        "its turn uses no attempt, and mails that somebody waits for go first.",
        "100",
        accepts=at_least(0),
    ),
    Variable(
        "PUSH_RATE_PER_SECOND",
        "int",
        0,
        "The same for push messages.",
        accepts=at_least(0),
    ),
    Variable(
        "DEFAULT_FROM_EMAIL",
        "str",
        "BoxOffice <tickets@boxoffice.example>",
        "Sender of all mails.",
        accepts=sender,
    ),
    Variable(
        "NOTIFY_MODE",
        "str",
        "async",
        "`sync` lets the request that confirms an order do by itself all that follows (tickets, mail) before it "
        "answers: the slow way, for comparison only.",
        accepts=one_of("async", "sync"),
    ),
    Variable(
        "TICKET_SIGNING_KEYS",
        "list",
        REQUIRED,
        "Keys of the tickets' QR codes, by commas: the first one signs, all of them verify.",
        "",
        accepts=signing_keys,
    ),
    Variable(
        "STRIPE_API_KEY",
        "str",
        REQUIRED,
        "Secret or restricted key of the account at the payment provider; a restricted one may write Checkout Sessions "
        "and refunds, and read PaymentIntents, charges and disputes.",
        "sk_live_51...",
        accepts=beginning("sk_", "rk_"),
    ),
    Variable(
        "STRIPE_WEBHOOK_SECRET",
        "str",
        REQUIRED,
        "Signing secret of the provider's webhook endpoint, which is PUBLIC_URL with `/webhooks/stripe/` behind it.",
        "whsec_...",
        accepts=beginning("whsec_"),
    ),
    Variable(
        "STRIPE_API_BASE",
        "str",
        "https://api.stripe.com",
        "Where the payment provider's API answers. Another address is that of a stand-in, with its payment page in "
        "the same place.",
        accepts=safe_site,
    ),
    Variable(
        "PAYMENTS_RATE_PER_SECOND",
        "int",
        25,
        "How many refunds of a cancelled show the payment provider is asked for in a second, by all workers together; "
        "0 for no limit. 25 is what Stripe allows one endpoint of an account, and all of its sandbox; 100 is the limit "
        "of a live account, of which payments need their part. Single refunds and payments are not held up by it.",
        "100",
        accepts=at_least(0),
    ),
    Variable(
        "DISPUTED_TICKETS",
        "str",
        "until_lost",
        "How long tickets stay good whose payment is disputed: `until_lost`, or `void` to take them back at once. "
        "Either way they are void when the dispute is lost, and good again when it is won. See disputes.md.",
        accepts=one_of("until_lost", "void"),
    ),
    Variable(
        "PAYMENT_FEES",
        "str",
        "EUR=1.5%+0.25..3.25%+0.25",
        "What the payment provider may take of a payment by your contract, for each currency: a rate, or from the "
        "cheapest card to the dearest. What is out of it is a finding of the night's reconciliation; a currency that "
        "is not named is not judged, and an empty text judges none.",
        "EUR=1.5%+0.25..3.25%+0.25 JPY=3.6%",
        accepts=fees,
    ),
    Variable(
        "FINANCE_EMAIL",
        "str",
        "",
        "Where the result of each night's reconciliation is sent; empty for nobody, and it is read on its page alone.",
        "books@theatre.example",
        accepts=sender,
    ),
    Variable(
        "FINANCE_LANGUAGE",
        "str",
        "en",
        "The language of that mail.",
        accepts=one_of("en", "de"),
    ),
    Variable(
        "VAPID_PRIVATE_KEY",
        "str",
        "",
        "Private key by which push services know this installation: 32 random bytes in base64 for URLs, without "
        "padding, from `python -m notifications.channels.push.new_key`. Empty means that no push messages are offered. "
        "With another key all subscriptions end.",
        accepts=push_key,
    ),
    Variable(
        "VAPID_CONTACT",
        "str",
        "",
        "Where push services can reach whoever runs this installation; the sender of the mails when empty.",
        "mailto:operator@example.org",
        accepts=contact,
    ),
    Variable(
        "PUSH_SERVICES",
        "list",
        ["fcm.googleapis.com", "*.push.services.mozilla.com", "*.notify.windows.com", "web.push.apple.com"],
        "Hosts of the push services that messages are sent to, by commas; `*.` before a name stands for all hosts "
        "below it. A stand-in on this machine is named by its whole address.",
        "fcm.googleapis.com,http://127.0.0.1:8027",
        accepts=push_services,
    ),
    Variable("MEDIA_ROOT", "str", ".local/media", "Folder of the ticket files. Never served directly."),
    Variable(
        "TICKET_STORAGE_URL",
        "str",
        "",
        "Bucket of the ticket files at an S3 service, which must stay private; empty keeps them in MEDIA_ROOT. Without "
        "key and secret, those that the host lends are used. `?region=` and `?endpoint=https://…` say where it is.",
        "s3://key:secret@bucket/folder?region=eu-central-1",
        accepts=is_ticket_storage,
    ),
    Variable("STATIC_ROOT", "str", ".local/static", "Folder that `collectstatic` fills and WhiteNoise serves."),
    Variable(
        "SNIP_BASE_URL",
        "str",
        "http://127.0.0.1:8001",
        "What short links begin with, without a slash at its end: where the redirect is reached from outside. Short, "
        "since it is printed, and kept for good, since posters hang in the street.",
        "https://bo.example.org",
        accepts=site,
    ),
    Variable(
        "SNIP_STREAMS",
        "int",
        4,
        "Redis streams that the log of clicks on tracked links is spread over. More of them serve more consumers; "
        "64 at most. Another number may be rolled out while clicks come: whoever reads, reads what both write.",
        accepts=between(1, 64),
    ),
    Variable(
        "SNIP_LOG_LENGTH",
        "int",
        2_000_000,
        "Clicks that the log holds at most, in all streams; it keeps them for seven days. A million take about 120 MB "
        "of Redis.",
        accepts=at_least(1_000),
    ),
    Variable(
        "SNIP_LOG_POLICY",
        "str",
        "shed_oldest",
        "What gives way when the log is full: `shed_oldest`, `shed_newest`, or `refuse`, which asks whoever sends "
        "clicks to try again later. Redirects go on in any case.",
        accepts=one_of("shed_oldest", "shed_newest", "refuse"),
    ),
    Variable(
        "SNIP_PRODUCER_TOKEN",
        "str",
        "",
        "Who sends it as a bearer may bring clicks of his own by `POST /clicks`, 16 characters of ASCII at least, no "
        "spaces; empty for nobody. See docs/redirect.md.",
        accepts=bearer(characters=16),
    ),
    Variable(
        "SNIP_COUNTRY_HEADER",
        "str",
        "",
        "Header by which the proxy before the redirect tells a visitor's country in two letters, and which it strips "
        "from what the visitor sent; empty where none does.",
        "CF-IPCountry",
    ),
    Variable(
        "SNIP_GEOIP_FILE",
        "str",
        "",
        "Database of addresses and countries in MaxMind's format, asked where no header tells. A new file is read by "
        "processes that start after it. Empty for none: countries are then not known.",
        "/var/lib/geoip/country.mmdb",
    ),
    Variable(
        "SENTRY_DSN",
        "str",
        "",
        "Where errors, and the runs of periodic jobs, are reported; empty means nowhere.",
        accepts=address("https", "http", path=True),
    ),
    Variable(
        "PROMETHEUS_MULTIPROC_DIR",
        "str",
        "",
        "Folder in which all processes of this host or container count for `/metrics`; empty when they start. Without "
        "it, `/metrics` tells of queues and workers, and of what its own process has counted.",
        "/tmp/metrics",  # noqa: S108  (an example)
    ),
    Variable(
        "METRICS_TOKEN",
        "str",
        "",
        "Who sends it as a bearer may read `/metrics`, 16 characters of ASCII at least, no spaces. Staff may always.",
        accepts=bearer(characters=16),
    ),
    Variable(
        "METRICS_PORT",
        "int",
        0,
        "Port on which a relay, a worker and a beat serve `/metrics` themselves; 0 means not at all. One process for "
        "each host or container.",
        accepts=at_least(0),
    ),
    Variable(
        "METRICS_HOST",
        "str",
        "127.0.0.1",
        "Address on which they do. `0.0.0.0` opens it to the network: set METRICS_TOKEN as well, or a network policy.",
    ),
    Variable(
        "LOG_FORMAT",
        "str",
        "json",
        "`json` for machines, `console` for people.",
        accepts=one_of("json", "console"),
    ),
    Variable(
        "LOG_LEVEL",
        "str",
        "INFO",
        "DEBUG, INFO, WARNING or ERROR.",
        accepts=one_of("DEBUG", "INFO", "WARNING", "ERROR"),
    ),
)

_BY_NAME = {variable.name: variable for variable in VARIABLES}
_env = environ.Env()


def read(name: str) -> Any:
    """Return the value of the variable ``name``, cast as the table says.

    Raises ImproperlyConfigured with a sentence that says what to set when it is missing, empty or malformed,
    and KeyError when the table does not list it.
    """
    variable = _BY_NAME[name]
    text = os.environ.get(name, "")
    if text == "":
        if variable.required:
            raise ImproperlyConfigured(f"Set {name}: {variable.purpose}{_for_example(variable)}")
        return variable.default
    try:
        value = _value(variable, text)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read as {variable.cast}: {variable.purpose}{_for_example(variable)}"
        ) from error
    # The value stays out of the sentence: it may hold a password.
    if not variable.accepts(",".join(value) if isinstance(value, list) else text):
        raise ImproperlyConfigured(f"{name} cannot be used as it is: {variable.purpose}{_for_example(variable)}")
    return value


def _value(variable: Variable, text: str) -> Any:
    """As the table says. Around the commas of a list there may be spaces."""
    if variable.cast == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    cast: Callable[..., Any] = getattr(_env, variable.cast)
    return cast(variable.name)


def _for_example(variable: Variable) -> str:
    return f" For example: {variable.example}" if variable.example else ""
