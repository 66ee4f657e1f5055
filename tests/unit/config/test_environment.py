"""A variable that is missing or wrong stops the start with a sentence that says what to set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import VARIABLES, Variable, read
from notifications.channels.push.new_key import new_key

ROOT = Path(__file__).parents[3]
REQUIRED = [variable for variable in VARIABLES if variable.required]
OPTIONAL = [variable for variable in VARIABLES if not variable.required]


def name_of(variable: Variable) -> str:
    return variable.name


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("variable", REQUIRED, ids=name_of)
def test_a_required_variable_that_is_missing_or_empty_is_named_and_explained(
    variable: Variable, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable.name, raising=False)
    if value is not None:
        monkeypatch.setenv(variable.name, value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(variable.name)
    assert str(refusal.value).startswith(f"Set {variable.name}: {variable.purpose}")


@pytest.mark.parametrize("value", [None, ""])
@pytest.mark.parametrize("variable", OPTIONAL, ids=name_of)
def test_an_optional_variable_that_is_missing_or_empty_has_its_default(
    variable: Variable, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable.name, raising=False)
    if value is not None:
        monkeypatch.setenv(variable.name, value)
    assert read(variable.name) == variable.default


def test_a_value_that_cannot_be_read_is_named_and_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_POOL_SIZE", "many")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_POOL_SIZE cannot be read as int: Connections that"):
        read("DATABASE_POOL_SIZE")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", "maybe"),
        ("METRICS_TOKEN", "too-short"),
        ("METRICS_TOKEN", "ein-schöner-langer-schlüssel"),
        ("METRICS_TOKEN", "with spaces in between"),
        ("TRUSTED_PROXY", "perhaps"),
        ("PUBLIC_URL", "nonsense"),
        ("PUBLIC_URL", "ftp://tickets.example.org"),
        ("PUBLIC_URL", "https://tickets.example.org/?a=b"),
        ("PUBLIC_URL", "http://a b"),
        ("PUBLIC_URL", "http://[::1"),
        ("DATABASE_URL", "garbage"),
        ("DATABASE_URL", "mysql://host/name"),
        ("DATABASE_URL", "postgres://host"),
        ("DATABASE_URL", "postgres://host:port/name"),
        ("DATABASE_POOL_SIZE", "-1"),
        ("DATABASE_POOLER", "session"),
        ("DATABASE_SHARDS", "north"),
        ("BROKER_URL", "garbage"),
        ("BROKER_URL", "sqs://"),
        ("BROKER_URL", "amqp://one;http://two"),
        ("BROKER_URL", "redis://host:99999/0"),
        ("REDIS_URL", "http://host"),
        ("EMAIL_URL", "garbage"),
        ("EMAIL_URL", "smtp://host:99999"),
        ("EMAIL_TIMEOUT_SECONDS", "0"),
        ("DEFAULT_FROM_EMAIL", "nobody"),
        ("DEFAULT_FROM_EMAIL", "tickets@exa_mple.org"),
        ("DEFAULT_FROM_EMAIL", "tickets@example..org"),
        ("DEFAULT_FROM_EMAIL", "a@example.org\nBcc: b@example.org"),
        ("TICKET_SIGNING_KEYS", "garbage"),
        ("TICKET_SIGNING_KEYS", "AAAA"),
        ("TICKET_SIGNING_KEYS", ",,"),
        ("STRIPE_API_KEY", "pk_live_a_key_for_browsers"),
        ("STRIPE_API_KEY", "sk_"),
        ("MAIL_WEBHOOK_SECRET", "whsec_........."),
        ("MAIL_WEBHOOK_SECRET", "whsec_c2hvcnQ="),
        ("MAIL_WEBHOOK_SECRET", "YSBzZWNyZXQgb2YgdGhlc2UgdGVzdHMh"),
        ("STRIPE_WEBHOOK_SECRET", "sk_live_another_secret"),
        ("STRIPE_WEBHOOK_SECRET", "whsec_with a space"),
        ("STRIPE_API_BASE", "http://api.stripe.example"),
        ("STRIPE_API_BASE", "garbage"),
        ("SENTRY_DSN", "garbage"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "loud"),
    ],
)
def test_a_value_that_cannot_work_is_refused_before_it_is_used_and_is_not_repeated(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read(name)
    assert str(refusal.value).startswith(f"{name} cannot be used as it is: ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DEBUG", "True"),
        ("PUBLIC_URL", "http://[::1]:8000"),
        ("PUBLIC_URL", "https://example.org/tickets/"),
        ("DATABASE_URL", "postgres:///name"),
        ("DATABASE_URL", "postgresql://%2Fvar%2Frun/name"),
        ("DATABASE_URL", "postgres://user:p%40ss@host/name?sslmode=require"),
        ("DATABASE_POOLER", "transaction"),
        ("DATABASE_SHARDS", "north=postgres://host/north south=postgres://host/south"),
        ("BROKER_URL", "amqp://one;amqp://two:5672/vhost"),
        ("BROKER_URL", "rediss://:secret@host:6380/1"),
        ("REDIS_URL", "unix:///run/redis.sock"),
        ("EMAIL_URL", "smtp+tls://user:password@host:587"),
        ("MAIL_WEBHOOK_SECRET", "whsec_YSBzZWNyZXQgb2YgdGhlc2UgdGVzdHMh"),
        ("MAIL_WEBHOOK_SECRET", "whsec_YSBzZWNyZXQgb2YgdGhlc2UgdGVzdHM="),
        ("DEFAULT_FROM_EMAIL", "tickets@example.org"),
        ("DEFAULT_FROM_EMAIL", "tickets@bücher.example"),
        ("DEFAULT_FROM_EMAIL", "Büro <tickets@example.org>"),
        ("STRIPE_API_KEY", "rk_live_a_restricted_one"),
        ("STRIPE_API_BASE", "http://127.0.0.1:8026"),
        ("SENTRY_DSN", "https://key@sentry.example.org/1"),
        ("LOG_LEVEL", "DEBUG"),
    ],
)
def test_a_value_that_can_work_is_taken(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    read(name)


@pytest.mark.parametrize("variable", [v for v in OPTIONAL if v.default not in ("", [])], ids=name_of)
def test_a_default_is_a_value_that_would_be_taken(variable: Variable, monkeypatch: pytest.MonkeyPatch) -> None:
    default = variable.default
    monkeypatch.setenv(variable.name, ",".join(default) if isinstance(default, list) else str(default))
    assert read(variable.name) == default


def test_manage_says_the_sentence_alone() -> None:
    started = subprocess.run(
        [sys.executable, "manage.py", "relay"],
        cwd=ROOT,
        env={**os.environ, "BROKER_URL": "garbage"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert started.returncode == 1
    assert started.stderr.startswith("BROKER_URL cannot be used as it is: RabbitMQ or Redis.")
    assert "Traceback" not in started.stderr


def test_a_list_is_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", "a.example,b.example")
    assert read("ALLOWED_HOSTS") == ["a.example", "b.example"]


KEYS = ("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY=")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("ALLOWED_HOSTS", ("a.example", "b.example")),
        ("PUSH_SERVICES", ("fcm.googleapis.com", "*.notify.windows.com")),
        ("TICKET_SIGNING_KEYS", KEYS),
    ],
)
@pytest.mark.parametrize("comma", [", ", " , ", " ,\t", ",\n  ", ",,"])
def test_the_commas_of_a_list_may_have_spaces_around_them_and_one_too_many_names_nothing(
    name: str, parts: tuple[str, ...], comma: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, f" {comma.join(parts)} ")
    assert read(name) == list(parts)


def test_every_list_of_the_table_is_tried_with_spaces() -> None:
    assert {each.name for each in VARIABLES if each.cast == "list"} == {
        "ALLOWED_HOSTS",
        "PUSH_SERVICES",
        "TICKET_SIGNING_KEYS",
    }


@pytest.mark.parametrize("name", ["PUSH_SERVICES", "TICKET_SIGNING_KEYS"])
def test_a_list_of_commas_alone_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, " , ,")
    with pytest.raises(ImproperlyConfigured, match=f"{name} cannot be used as it is"):
        read(name)


def test_a_variable_that_the_table_does_not_list_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        read("SOMETHING_ELSE")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"DATABASE_URL": ""}, "Set DATABASE_URL: PostgreSQL 15 or newer."),
        ({"SECRET_KEY": "changeme"}, "SECRET_KEY is a default or too weak"),
        ({"DEBUG": "1", "PUBLIC_URL": "https://tickets.example.org"}, "DEBUG shows settings and code to everybody"),
        ({"VAPID_PRIVATE_KEY": new_key(), "DEFAULT_FROM_EMAIL": "tickets@example"}, "set VAPID_CONTACT"),
    ],
)
def test_the_start_is_refused_with_that_sentence(wrong: dict[str, str], sentence: str) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **wrong},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert started.returncode != 0
    assert sentence in started.stderr
