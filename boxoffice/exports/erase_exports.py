"""Files of exports leave after some days, and their rows after a year and a month."""

from __future__ import annotations

import time
from pathlib import PurePosixPath

import structlog
from django.db.models import Q

from boxoffice.exports import transitions
from boxoffice.exports.write_export import KEPT, storage_name
from boxoffice.models import Export
from jobs.clock import DatabaseNow, database_now
from tickets.storage import ticket_storage

log = structlog.get_logger(__name__)

LONGEST_SECONDS = 20.0
"""Well below the soft time limit; the next night goes on with what is left."""

ROWS_KEPT_DAYS = 400


def erase_exports(*, seconds: float = LONGEST_SECONDS) -> int:
    """Erase the files whose time is over, then say so in their rows; return how many. Safe to repeat.

    Also what a failed one may have left under its name, or a worker that was killed beside it. Not inside a
    transaction: the storage is called.
    """
    until, erased = time.monotonic() + seconds, 0
    over = Q(state=Export.State.DONE, erase_at__lte=DatabaseNow()) | Q(
        state=Export.State.FAILED, ended_at__lte=database_now() - KEPT
    )
    for number in Export.objects.filter(over, erased_at__isnull=True).order_by("pk").values_list("pk", flat=True):
        if time.monotonic() > until:
            break
        _discard(storage_name(export_id=number))
        erased += transitions.erase(export_id=number)
    old = transitions.forget_old(days=ROWS_KEPT_DAYS)
    log.info("exports_erased", files=erased, rows=old)
    return erased


def _discard(name: str) -> None:
    """Delete the file with all that lies in its folder: a half of it, of a worker that was killed while storing it."""
    storage, folder = ticket_storage(), PurePosixPath(name).parent
    try:
        _folders, files = storage.listdir(str(folder))
    except FileNotFoundError:
        return
    for file in files:
        storage.delete(str(folder / file))
