"""The Debian packages that BoxOffice needs beside Python: installed when that is allowed, else named.

    python3 -m deploy.local.packages pdf              stops when Pango cannot be had
    python3 -m deploy.local.packages --try rabbitmq   says so, loudly, and goes on

Runs before there is a virtual environment, so it imports nothing but the standard library.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Group:
    """Packages that serve one purpose, and how to see that it is served, by them or by others."""

    purpose: str
    packages: tuple[str, ...]
    is_here: Callable[[], bool]


def _has_library(*names: str) -> bool:
    try:
        for name in names:
            ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _has_font(*patterns: str) -> bool:
    return any(True for pattern in patterns for _ in Path("/usr/share/fonts").rglob(pattern))


def _has_program(*names: str) -> bool:
    return any(shutil.which(name) for name in names)


GROUPS = {
    "venv": Group(
        "Python's virtual environments",
        (f"python3.{sys.version_info.minor}-venv",),
        lambda: importlib.util.find_spec("ensurepip") is not None and importlib.util.find_spec("venv") is not None,
    ),
    "pdf": Group(
        "Pango, which lays out the tickets",
        ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0", "fonts-dejavu-core"),
        lambda: _has_library("libpango-1.0.so.0", "libpangoft2-1.0.so.0", "libharfbuzz-subset.so.0"),
    ),
    "fonts": Group(
        "fonts for names in every script (without them some print as boxes)",
        ("fonts-noto-core", "fonts-noto-cjk", "fonts-noto-color-emoji"),
        lambda: all(map(_has_font, ("NotoSerifThai*", "NotoSerifCJK*", "NotoColorEmoji*"))),
    ),
    "redis": Group("a Redis server", ("redis-server",), lambda: _has_program("redis-server", "valkey-server")),
    "rabbitmq": Group(
        "RabbitMQ, the second broker",
        ("rabbitmq-server",),
        lambda: Path("/usr/lib/rabbitmq/bin/rabbitmq-server").exists(),
    ),
    "pooler": Group(
        "PgBouncer, which the tests put before PostgreSQL",
        ("pgbouncer",),
        lambda: _has_program("pgbouncer", "/usr/sbin/pgbouncer"),
    ),
    "load": Group("wrk, which loads web servers for the measurements", ("wrk",), lambda: _has_program("wrk")),
    "browser": Group(
        "a browser for the end-to-end tests",
        # The shell is the same engine without windows, which is quicker. The library is what Playwright's driver needs.
        ("chromium", "chromium-headless-shell", "libatomic1"),
        lambda: _has_program("chromium", "chromium-browser") and _has_library("libatomic.so.1"),
    ),
}
# Installing these starts a server of the machine's own, on all interfaces. Ours is a private one; that one goes.
UNWANTED_SERVICES = {name: name for name in ("rabbitmq-server", "redis-server", "pgbouncer")}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m deploy.local.packages")
    parser.add_argument("--try", dest="optional", action="store_true", help="go on without what cannot be had")
    parser.add_argument("groups", nargs="+", choices=GROUPS)
    options = parser.parse_args(arguments)
    missing = [name for name in options.groups if not GROUPS[name].is_here()]
    for name in missing:
        provide(GROUPS[name], optional=options.optional)
    return 0 if options.optional or all(GROUPS[name].is_here() for name in missing) else 1


def provide(group: Group, *, optional: bool) -> None:
    """Install the group if that is allowed; otherwise print the exact command."""
    install = ["apt-get", "install", "--yes", "--no-install-recommends", *group.packages]
    prefix = how_to_become_root()
    if shutil.which("apt-get") is None:
        _say(f"{group.purpose}: install it with this system's package manager (on Debian: {shlex.join(install)}).")
    elif prefix is None:
        _say(f"Missing: {group.purpose}. Install it with:\n\n    sudo {shlex.join(install)}\n")
    else:
        print(f"Installing {group.purpose}: {' '.join(group.packages)} ...", flush=True)
        if not _install(prefix, install):
            _say(f"{group.purpose} could not be installed. What apt-get says: {shlex.join([*prefix, *install])}")
        _stop_unwanted(prefix, group)
    if optional and not group.is_here():
        _say(f"SKIPPED: whatever needs {group.purpose}.")


def how_to_become_root() -> list[str] | None:
    """The words before a command that needs root: none for root, ``sudo`` if it asks nothing; None if neither."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None


def _install(prefix: Sequence[str], install: Sequence[str]) -> bool:
    for command in (["apt-get", "update"], install):
        quiet = ["env", "DEBIAN_FRONTEND=noninteractive", *command, "--quiet", "--quiet"]
        done = subprocess.run([*prefix, *quiet], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
    return done.returncode == 0


def _stop_unwanted(prefix: Sequence[str], group: Group) -> None:
    for package in group.packages:
        if package in UNWANTED_SERVICES and Path("/run/systemd/system").exists():
            stop = ["systemctl", "disable", "--now", UNWANTED_SERVICES[package]]
            subprocess.run([*prefix, *stop], capture_output=True, check=False)


def _say(sentence: str) -> None:
    print(f"!! {sentence}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
