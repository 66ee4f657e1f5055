"""Run one command with the services up, as ``make test`` does with pytest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType

from deploy.local.checkout import ROOT
from deploy.local.signals import ENDING


def run_command(command: Sequence[str], *, environment: Mapping[str, str]) -> int:
    """Run the command in the checkout and return its exit status.

    The terminal's Ctrl-C reaches it directly, and it may take its time to end; SIGTERM and SIGHUP, which reach
    only us, are passed on.
    """
    told: list[int] = []
    child: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            told.append(number)
            if child:
                child.send_signal(signal.SIGTERM)

    # In place before the child is, so that no signal falls between; a child does not inherit handlers.
    kept = {number: signal.signal(number, pass_on) for number in ENDING}
    try:
        child = subprocess.Popen(command, cwd=ROOT, env=dict(environment))
        if told:
            child.send_signal(signal.SIGTERM)
        status = child.wait()
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status


def with_our_terminal(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of services that another run holds, and for the rest this terminal's own."""
    return {**os.environ, **environment, "PATH": with_our_programs(os.environ.get("PATH", os.defpath))}


def with_our_programs(path: str) -> str:
    """The PATH with the programs of the virtual environment before all others."""
    return f"{Path(sys.executable).parent}{os.pathsep}{path}"
