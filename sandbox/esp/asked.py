"""What somebody asked for on a mail's page: a file for each, which the ESP's process looks for.

The pages are another process, and need not know where the ESP listens.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def ask(folder: Path, record: dict[str, Any], happening: str) -> None:
    """Let this happen to a mail. It appears whole or not at all."""
    wanted = folder / "asked"
    wanted.mkdir(exist_ok=True)
    name = secrets.token_hex(8)
    draft = wanted / f"{name}.draft"
    draft.write_text(json.dumps([record, happening]), encoding="utf-8")
    draft.rename(wanted / f"{name}.json")


def take_asked(folder: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """What was asked for since the last time."""
    for file in sorted((folder / "asked").glob("*.json")):
        record, happening = json.loads(file.read_text(encoding="utf-8"))
        file.unlink()
        yield record, happening
