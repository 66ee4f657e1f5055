"""Measured in a process of its own, where nothing is in memory yet, on the database of the measurement."""

from __future__ import annotations

import os
import subprocess
import sys
from urllib.parse import urlsplit, urlunsplit

from django.db import connection

from deploy.local.checkout import ROOT

SECONDS = 600


def database_url() -> str:
    """Of the database that this process measures with."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))


def said_by(module: str, *arguments: str) -> str:
    """Run ``python -m MODULE ARGUMENTS`` and return what it prints. Raises CalledProcessError where it fails, and
    TimeoutExpired after ten minutes.
    """
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url()},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SECONDS,
    ).stdout
