"""Handing the file out, to who asked for it and may still have it."""

from __future__ import annotations

from typing import Any

from django.core.files import File

from boxoffice.exports.errors import ExportGone, ExportRefused, ExportUnread
from boxoffice.exports.in_words import filter_in_words
from boxoffice.exports.whose import may_have
from boxoffice.models import Export, ExportAction
from jobs.clock import database_now
from tickets.storage import ticket_storage


def fetch_export(*, export: Export, user: Any) -> File:
    """The file, open for reading, after its line in the audit trail. The caller closes it.

    Raises ExportRefused for another login, or where a right was taken away; ExportGone where there is no file, or its
    time is over, whether or not it was erased; ExportUnread where the storage does not answer.
    """
    if not may_have(user, export):
        raise ExportRefused
    if export.state != Export.State.DONE or export.erased_at is not None or is_over(export):
        raise ExportGone
    try:
        file = ticket_storage().open(export.storage_name)
    except FileNotFoundError as error:
        raise ExportGone from error
    except Exception as error:  # each storage has exceptions of its own
        raise ExportUnread from error
    ExportAction.objects.create(
        export_id=export.pk, action=ExportAction.Action.FETCH, by=user.get_username(), what=filter_in_words(export)
    )
    return file


def is_over(export: Export) -> bool:
    """Whether the time of its file is over, by the database's clock. One query where it has one."""
    return export.erase_at is not None and export.erase_at <= database_now()


def download_name(export: Export) -> str:
    """``orders-2026-11-01-to-2026-11-30.csv``: nobody's data, and no title, which a file system may not take. Pure."""
    parts = (
        export.kind,
        f"show-{export.show_id}" if export.show_id is not None else "",
        f"venue-{export.venue_id}" if export.venue_id is not None else "",
        f"{export.first}-to-{export.last}" if export.first else "",
    )
    return "-".join(filter(None, parts)) + ".csv"
