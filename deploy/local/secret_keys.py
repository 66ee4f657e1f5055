"""The passwords and keys of this checkout: drawn once, kept in ``.local/secrets.env``, readable by the owner only."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Callable
from pathlib import Path

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def _ticket_signing_key() -> str:
    return base64.b64encode(secrets.token_bytes(32)).decode("ascii")


def _push_key() -> str:
    """A private key of P-256: a number below the curve's order, in base64 for URLs."""
    number = 1 + secrets.randbelow(P256_ORDER - 1)
    return base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode("ascii")


# How each is drawn. Passwords stand in URLs, so they hold nothing that a URL would have to escape.
KEYS: dict[str, Callable[[], str]] = {
    "SECRET_KEY": lambda: secrets.token_urlsafe(48),
    "TICKET_SIGNING_KEYS": _ticket_signing_key,
    "POSTGRES_PASSWORD": lambda: secrets.token_urlsafe(24),
    "REDIS_PASSWORD": lambda: secrets.token_urlsafe(24),
    "RABBITMQ_PASSWORD": lambda: secrets.token_urlsafe(24),
    # In the form of Stripe's, for its stand-in: the SDK and people know them by their beginning.
    "STRIPE_API_KEY": lambda: f"sk_test_{secrets.token_hex(24)}",
    "STRIPE_WEBHOOK_SECRET": lambda: f"whsec_{secrets.token_hex(16)}",
    # In the form of Resend's, whose webhooks Svix signs: the base64 behind the beginning is the key itself.
    "MAIL_WEBHOOK_SECRET": lambda: f"whsec_{base64.b64encode(secrets.token_bytes(24)).decode('ascii')}",
    "VAPID_PRIVATE_KEY": _push_key,
    "STAFF_PASSWORD": lambda: secrets.token_urlsafe(12),
    "DOOR_PASSWORD": lambda: secrets.token_urlsafe(12),
    "ROLE_PASSWORD": lambda: secrets.token_urlsafe(12),
}


def secret_keys(*, file: Path) -> dict[str, str]:
    """Return all of KEYS as text, drawing those that the file does not hold yet."""
    known = _read(file)
    missing = [name for name in KEYS if not known.get(name)]
    for name in missing:
        known[name] = KEYS[name]()
    if missing:
        _write(file, known)
    return known


def _read(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def _write(file: Path, values: dict[str, str]) -> None:
    unfinished = file.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    # Created with its final mode: at no moment can another user of the machine open it.
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w") as output:
        output.write("# Secrets of this checkout, for this machine only.\n")
        output.writelines(f"{name}={value}\n" for name, value in values.items())
    unfinished.replace(file)
