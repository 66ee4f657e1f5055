"""The processes of the Procfile that a killed run left behind, found by what they recorded of themselves."""

from __future__ import annotations

from pathlib import Path

from deploy.local.checkout import ROOT, Instance
from deploy.local.processes import end, is_alive, recorded, works_in

SUPERVISOR = "supervisor"  # the name under which it records itself
STOP_SECONDS = 40  # above the supervisor's own, which kills what does not stop


def processes_folder(instance: Instance) -> Path:
    """Where the instance's processes are recorded, one file for each."""
    return instance.folder / "processes"


def end_recorded(folder: Path) -> None:
    """End the processes of a run that could not: each by the id and the start time that it recorded.

    The supervisor comes first, for it stops the others in good order.
    """
    for file in sorted(folder.glob("*.json"), key=lambda file: file.stem != SUPERVISOR):
        process = recorded(file)
        if process is not None and is_alive(process) and works_in(pid=process.pid, folder=ROOT):
            end(process, seconds=STOP_SECONDS, whole_group=True)
        file.unlink(missing_ok=True)
