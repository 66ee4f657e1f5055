"""The running server of a data folder: found by PostgreSQL's own lock file, ended by its id."""

from __future__ import annotations

import signal
from pathlib import Path

from deploy.local.processes import ProcessId, end, identify, works_in


def running_server(data: Path) -> ProcessId | None:
    """Return the server that uses the data folder now; None when the lock file is stale or absent.

    The id in a stale ``postmaster.pid`` may belong to any program by now, so it only counts when that process
    works in the data folder, as PostgreSQL's does.
    """
    try:
        pid = int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return identify(pid) if works_in(pid=pid, folder=data) else None


def end_server(data: Path) -> None:
    """Stop the server of the data folder, if one runs, and remove a lock file that nobody holds.

    SIGINT is PostgreSQL's fast shutdown: sessions end, the log is flushed. SIGQUIT makes it recover at its next
    start; nothing that was committed is lost by either.
    """
    server = running_server(data)
    if server is not None:
        end(server, signals=(signal.SIGINT, signal.SIGQUIT, signal.SIGKILL))
    (data / "postmaster.pid").unlink(missing_ok=True)
