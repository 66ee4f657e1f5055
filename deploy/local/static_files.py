"""Whether the gathered static files are still those of the checkout: compressing them anew takes seconds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from deploy.local.checkout import ROOT

STAMP = "gathered"


def are_current(environment: Mapping[str, str]) -> bool:
    """Whether ``collectstatic`` ran for just these files, packages and settings."""
    try:
        return _stamp(environment).read_text() == _fingerprint()
    except OSError:
        return False


def note_gathered(environment: Mapping[str, str]) -> None:
    """Remember that ``collectstatic`` has just run."""
    _stamp(environment).write_text(_fingerprint())


def _stamp(environment: Mapping[str, str]) -> Path:
    """Beside the folder and not in it, for everything in it is served."""
    folder = Path(environment["STATIC_ROOT"])
    return folder.with_name(f"{folder.name}.{STAMP}")


def _fingerprint() -> str:
    digest = hashlib.sha256()
    files = [ROOT / "requirements.txt", *sorted((ROOT / "config/settings").glob("*.py"))]
    files += sorted(file for file in ROOT.glob("[!.]*/static/**/*") if file.is_file())
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
