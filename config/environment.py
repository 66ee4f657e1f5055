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

REQUIRED = object()


@dataclass(frozen=True)
class Variable:
    """One environment variable: its name, how it is read, its default (or REQUIRED), and what it is for."""

    name: str
    cast: str  # a method of environ.Env: str, bool, int, list, url
    default: Any
    purpose: str
    example: str = ""

    @property
    def required(self) -> bool:
        return self.default is REQUIRED


VARIABLES = (
    Variable("SECRET_KEY", "str", REQUIRED, "Signs sessions and CSRF tokens: 50 random characters."),
    Variable("DEBUG", "bool", False, "Django's debug pages. Refused unless PUBLIC_URL is a local address."),
    Variable("ALLOWED_HOSTS", "list", ["localhost", "127.0.0.1"], "Host names that the site answers to, by commas."),
    Variable(
        "PUBLIC_URL",
        "str",
        "http://127.0.0.1:8000",
        "Absolute address of the site, without a slash at its end; links in mails and tickets begin with it.",
        "https://tickets.example.org",
    ),
    Variable(
        "TRUSTED_PROXY",
        "bool",
        False,
        "Believe X-Forwarded-Proto. Only where a proxy sets it and strips the client's own.",
    ),
    Variable("DATABASE_URL", "str", REQUIRED, "PostgreSQL 15 or newer.", "postgres://user:password@host:5432/name"),
    Variable(
        "DATABASE_POOL_SIZE",
        "int",
        0,
        "Connections that a web process pools; 0 means plain persistent ones. `config/wsgi.py` sets 8 for itself; "
        "workers, relay and beat must stay at 0.",
    ),
    Variable("BROKER_URL", "str", REQUIRED, "RabbitMQ or Redis.", "amqp://user:password@host:5672/vhost"),
    Variable("REDIS_URL", "str", REQUIRED, "Redis for limits and caches.", "redis://host:6379/0"),
    Variable("EMAIL_URL", "str", "smtp://127.0.0.1:1025", "The SMTP server.", "smtp+tls://user:password@host:587"),
    Variable("EMAIL_TIMEOUT_SECONDS", "int", 10, "How long one SMTP step may take before it counts as failed."),
    Variable("DEFAULT_FROM_EMAIL", "str", "BoxOffice <tickets@boxoffice.example>", "Sender of all mails."),
    Variable(
        "TICKET_SIGNING_KEYS",
        "list",
        REQUIRED,
        "Keys of the tickets' QR codes, by commas: the first one signs, all of them verify.",
        "",
    ),
    Variable("MEDIA_ROOT", "str", ".local/media", "Folder of the ticket files. Never served directly."),
    Variable("STATIC_ROOT", "str", ".local/static", "Folder that `collectstatic` fills and WhiteNoise serves."),
    Variable("SENTRY_DSN", "str", "", "Where errors are reported; empty means nowhere."),
    Variable("LOG_FORMAT", "str", "json", "`json` for machines, `console` for people."),
    Variable("LOG_LEVEL", "str", "INFO", "DEBUG, INFO, WARNING or ERROR."),
)

_BY_NAME = {variable.name: variable for variable in VARIABLES}
_env = environ.Env()


def read(name: str) -> Any:
    """Return the value of the variable ``name``, cast as the table says.

    Raises ImproperlyConfigured with a sentence that says what to set when it is missing, empty or malformed,
    and KeyError when the table does not list it.
    """
    variable = _BY_NAME[name]
    if os.environ.get(name, "") == "":
        if variable.required:
            raise ImproperlyConfigured(f"Set {name}: {variable.purpose}{_for_example(variable)}")
        return variable.default
    cast: Callable[..., Any] = getattr(_env, variable.cast)
    try:
        return cast(name)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name} cannot be read as {variable.cast}: {variable.purpose}{_for_example(variable)}"
        ) from error


def _for_example(variable: Variable) -> str:
    return f" For example: {variable.example}" if variable.example else ""
