"""``make lint``: every check, each to its end, so that one run names all that is wrong."""

from __future__ import annotations

import base64
import os
import secrets
import subprocess
import sys
import time

from deploy.local.checkout import ROOT

BINARIES = ROOT / ".venv/bin"
# What an installation in production looks like. Nothing answers at these addresses, and nothing here asks.
PRODUCTION = {
    "SECRET_KEY": secrets.token_urlsafe(50),
    "TICKET_SIGNING_KEYS": base64.b64encode(secrets.token_bytes(32)).decode(),
    "ALLOWED_HOSTS": "tickets.example.org",
    "PUBLIC_URL": "https://tickets.example.org",
    "DATABASE_URL": "postgres://boxoffice:password@127.0.0.1:1/boxoffice",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "EMAIL_URL": "smtp+tls://user:password@127.0.0.1:1",
    "STRIPE_API_KEY": f"sk_test_{secrets.token_hex(24)}",
    "STRIPE_WEBHOOK_SECRET": f"whsec_{secrets.token_hex(16)}",
    "LOG_FORMAT": "json",
}
LONGEST_SECONDS = 1200
"""For one check. That of the types takes minutes where nothing is remembered of it."""
BROKERS = {"Redis": "redis://127.0.0.1:1/1", "RabbitMQ": "amqp://user:password@127.0.0.1:1//"}


def main() -> int:
    checks = [
        ("style", ["ruff", "check", "."], {}),
        ("format", ["ruff", "format", "--check", "."], {}),
        ("types", ["mypy", "."], {"BROKER_URL": BROKERS["Redis"]}),
        ("layers", ["lint-imports"], {}),
        ("derived files", ["python", "-m", "deploy.derived", "--check"], {"BROKER_URL": BROKERS["Redis"]}),
        ("templates", ["python", "-m", "deploy.local.compile_templates"], {"BROKER_URL": BROKERS["Redis"]}),
        (
            "migrations",
            # There is no database to compare with, and none is needed: models against migration files.
            ["python", "-W", "ignore::RuntimeWarning", "manage.py", "makemigrations", "--check", "--dry-run"],
            {"BROKER_URL": BROKERS["Redis"]},
        ),
    ]
    for name, url in BROKERS.items():
        deploy = ["python", "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
        checks.append((f"production settings with {name}", deploy, {"BROKER_URL": url}))
    failed = [name for name, command, variables in checks if not _passes(name, command, variables)]
    if failed:
        print(f"lint: wrong are {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARIES / command[0], *command[1:]],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=LONGEST_SECONDS,
    )


def _passes(name: str, command: list[str], variables: dict[str, str]) -> bool:
    start = time.monotonic()
    # The developer's own DATABASE_URL and the like stay out: the answer is the same on every machine.
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/")}
    try:
        done = _run(command, {**environment, "PYTHONPATH": str(ROOT), **PRODUCTION, **variables})
    except subprocess.TimeoutExpired:
        print(f"WRONG  {name} has not ended within {LONGEST_SECONDS} s", flush=True)
        return False
    verdict = "ok" if done.returncode == 0 else "WRONG"
    print(f"{verdict:6} {name} ({time.monotonic() - start:.1f} s)", flush=True)
    if done.returncode != 0:
        print(done.stdout, flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
