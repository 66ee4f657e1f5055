"""How many connections the process may have open: each is a file to the operating system."""

from __future__ import annotations

import resource

import structlog

log = structlog.get_logger(__name__)

ENOUGH = 8_192 + 256
"""As many connections as ``--backpressure`` in the Procfile lets in, and files for all else."""


def allow_connections(*, enough: int = ENOUGH) -> int:
    """Raise the process' own bound of open files (``ulimit -n``) to ``enough``, as far as the system lets it.

    Returns the bound that holds. A process with fewer runs, and turns visitors away at that number, so it says so.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _reaches(soft, enough):
        return soft
    bound = enough if _reaches(hard, enough) else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (bound, hard))
    if bound < enough:
        log.warning("few_open_files", bound=bound, wanted=enough, remedy="raise the hard limit: ulimit -Hn")
    return bound


def _reaches(limit: int, enough: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= enough
