"""Asking for an export."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction

from boxoffice.exports.errors import ExportRefused
from boxoffice.exports.in_words import filter_in_words
from boxoffice.exports.whose import may_export, shows_for
from boxoffice.models import Export, ExportAction
from inventory.models import Show, Venue
from jobs.enqueue import enqueue

TASK = "boxoffice.write_export"

ORDERING_KEY = "exports"
"""One is written at a time, so that many that are asked for at once leave the queue's other processes to others."""

PRIORITY = 9


def start_export(
    *,
    number: UUID,
    user: Any,
    kind: str,
    language: str,
    show: Show | None = None,
    venue: Venue | None = None,
    first: date | None = None,
    last: date | None = None,
) -> int | None:
    """Plan the file, with its line in the audit trail and its job; return the export's id. Opens a transaction.

    number: drawn by the page that asks; None is returned when it has asked already. first and last, of all shows or of
    those of a venue; or a show, with them or with all its days. The days of attendees are those of their show, so that
    a show leaves them out.
    Raises ExportRefused where this login may not have that kind, or not of that show.
    """
    shows = shows_for(user, kind)
    if not may_export(user, kind) or (show and shows is not None and not shows.filter(pk=show.pk).exists()):
        raise ExportRefused
    if show is not None:
        venue = None
        if kind == Export.Kind.ATTENDEES:
            first = last = None
    export = Export(
        number=number,
        kind=kind,
        state=Export.State.PLANNED,
        user=user,
        by=user.get_username(),
        language=language,
        show_id=show.pk if show else None,
        show_title=show.title if show else "",
        venue_id=venue.pk if venue else None,
        venue_name=venue.name if venue else "",
        first=first,
        last=last,
    )
    with transaction.atomic():
        try:
            with transaction.atomic():
                export.save(force_insert=True)
        except IntegrityError:
            if Export.objects.filter(number=number).exists():
                return None
            raise
        ExportAction.objects.create(
            export_id=export.pk, action=ExportAction.Action.ASK, by=export.by, what=filter_in_words(export)
        )
        enqueue(
            task=TASK,
            args={"export_id": export.pk},
            subject=export.subject,
            priority=PRIORITY,
            ordering_key=ORDERING_KEY,
        )
    return export.pk
