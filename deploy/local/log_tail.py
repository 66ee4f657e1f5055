"""The end of a server's log, for the person who has to find out why it did not start."""

from __future__ import annotations

from pathlib import Path


def log_tail(file: Path, *, lines: int = 20) -> str:
    """Return the last lines of the log with its path above them; a sentence when there is no log."""
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return f"There is no log at {file}."
    return f"{file}:\n" + "\n".join(text.splitlines()[-lines:])
