"""The package django-celery-outbox, in a folder of the measurements' own: see ``requirements-bench.txt``."""

from __future__ import annotations

import shutil
import subprocess
import sys

from bench.report import say
from deploy.local.checkout import ROOT, Instance

PINNED = ROOT / "requirements-bench.txt"
FOLDER = Instance("bench").folder / "outbox"


def provide_outbox() -> None:
    """Install the pinned package if that was not done yet, and let this process import it.

    Raises SystemExit when it cannot be had; what pip printed says why.
    """
    stamp = FOLDER / "installed"
    if not stamp.exists() or stamp.read_text() != PINNED.read_text():
        say("Installing django-celery-outbox for the comparison ...")
        shutil.rmtree(FOLDER, ignore_errors=True)
        command = ["-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check", "--require-hashes"]
        wanted = ["--no-deps", "--target", str(FOLDER), "--requirement", str(PINNED)]
        if subprocess.run([sys.executable, *command, *wanted], check=False, timeout=600).returncode != 0:
            raise SystemExit("pip could not install django-celery-outbox, with which this measurement compares.")
        stamp.write_text(PINNED.read_text())
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
