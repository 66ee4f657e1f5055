"""Handing the file out, to who asked for it and may still have it."""

from __future__ import annotations

from typing import Any

from django.core.files import File

from boxoffice.exports.errors import ExportGone, ExportRefused
from boxoffice.exports.in_words import filter_in_words
from boxoffice.exports.whose import may_export
from boxoffice.models import Export, ExportAction
from tickets.storage import ticket_storage


def fetch_export(*, export: Export, user: Any) -> File:
    """The file, open for reading, after its line in the audit trail. The caller closes it.

    Raises ExportRefused for another login, or where the right was taken away; ExportGone where there is no file.
    """
    if export.user_id != user.pk or not may_export(user, export.kind):
        raise ExportRefused
    if export.state != Export.State.DONE or export.erased_at is not None:
        raise ExportGone
    try:
        file = ticket_storage().open(export.storage_name)
    except FileNotFoundError as error:
        raise ExportGone from error
    ExportAction.objects.create(
        export_id=export.pk, action=ExportAction.Action.FETCH, by=user.get_username(), what=filter_in_words(export)
    )
    return file


def download_name(export: Export) -> str:
    """``orders-2026-11-01-to-2026-11-30.csv``: nobody's data, and no title, which a file system may not take. Pure."""
    parts = (
        export.kind,
        f"show-{export.show_id}" if export.show_id is not None else "",
        f"venue-{export.venue_id}" if export.venue_id is not None else "",
        f"{export.first}-to-{export.last}" if export.first else "",
    )
    return "-".join(filter(None, parts)) + ".csv"
