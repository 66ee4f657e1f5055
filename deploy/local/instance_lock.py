"""One run at a time for each instance.

The lock is the kernel's (``flock``), so it is free again the moment its holder is gone, however it went. What the
file says is for people, and for a second run that wants to join the first.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from deploy.local.checkout import Instance
from deploy.local.errors import InstanceBusy

# What a second command needs to meet the same services; this terminal's PATH and the like are its own.
SHARED = {
    *("DATABASE_URL", "BROKER_URL", "REDIS_URL", "TEST_BROKER_URL_REDIS", "TEST_BROKER_URL_RABBITMQ"),
    *("SECRET_KEY", "TICKET_SIGNING_KEYS", "MEDIA_ROOT", "STATIC_ROOT", "TICKET_STORAGE_URL"),
    *("STRIPE_API_BASE", "STRIPE_API_KEY", "STRIPE_WEBHOOK_SECRET", "VAPID_PRIVATE_KEY", "PUSH_SERVICES"),
    *(
        "PUBLIC_URL",
        "ALLOWED_HOSTS",
        "EMAIL_URL",
        "MAIL_WEBHOOK_SECRET",
        "MAILBOX_URL",
        "SNIP_BASE_URL",
        "DEBUG",
        "LOG_FORMAT",
    ),
}


@contextmanager
def hold_instance(instance: Instance, *, purpose: str) -> Iterator[None]:
    """Hold the instance as long as the block runs. Raises InstanceBusy when another run has it."""
    instance.create()
    descriptor = os.open(instance.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 200, 0).decode(errors="replace").strip() or "another run"
            raise InstanceBusy(
                f"{holder} already uses {instance.folder}. Stop it with Ctrl-C in its terminal, then start again."
            ) from None
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{purpose} (process {os.getpid()})\n".encode(), 0)
        try:
            yield
        finally:
            os.truncate(descriptor, 0)
    finally:
        os.close(descriptor)


def announce(instance: Instance, environment: Mapping[str, str]) -> None:
    """Let other commands find what runs now: ``join`` reads what is written here."""
    file = instance.folder / "environment.json"
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w") as output:
        json.dump({name: value for name, value in environment.items() if name in SHARED}, output, indent=2)


def withdraw(instance: Instance) -> None:
    """The services end: nobody may join any more."""
    (instance.folder / "environment.json").unlink(missing_ok=True)


def join(instance: Instance) -> dict[str, str] | None:
    """Return the environment of the run that holds the instance now; None when no run does."""
    try:
        with hold_instance(instance, purpose="A look at the services"):
            return None
    except InstanceBusy:
        try:
            return dict(json.loads((instance.folder / "environment.json").read_text()))
        except (OSError, ValueError):
            raise InstanceBusy(f"The services in {instance.folder} are starting. Try again in a moment.") from None
