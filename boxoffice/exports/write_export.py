"""Writing the file of an export, page by page, in the memory of one page.

Guarantee: one file under one name, whole. A worker that dies leaves nothing that anybody sees: the job comes again and
writes from the first row, over whatever lies under that name. The transaction that marks it done plans the mail.
"""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import ModuleType
from typing import IO

from django.core.files import File
from django.utils import translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from boxoffice.exports import attendees, orders, takings, transitions
from boxoffice.exports.asked import Asked
from boxoffice.exports.cells import BYTE_ORDER_MARK, dialect_of
from boxoffice.exports.whose import may_export, shows_for
from boxoffice.messages import export_ready
from boxoffice.messages.urgency import mail_task
from boxoffice.models import Export
from inventory.models import Show
from jobs.record import record
from notifications.plan import plan_notification
from tickets.errors import StorageKeepsOldFiles
from tickets.storage import ticket_storage

KINDS: dict[str, ModuleType] = {"orders": orders, "attendees": attendees, "takings": takings}
"""Each has ``header``, ``count``, ``pages`` and ``cells``."""

KEPT = timedelta(days=7)
"""How long the file lies there: over a holiday weekend, and no longer than somebody needs who asked for it."""

MOST_ROWS = 150_000
"""What one job writes well inside its time limit. A spreadsheet shows a million at most."""

TOO_MANY = gettext_noop("These are more than 150,000 rows. Choose a shorter period.")
NOT_ALLOWED = gettext_noop("Whoever asked for it may not have it any more.")


def write_export(*, export_id: int) -> None:
    """Write it, store it, say so. Does nothing when it has ended.

    Reads outside any transaction; raises what the storage raises, and StorageKeepsOldFiles.
    """
    if not transitions.begin(export_id=export_id):
        return
    export = Export.objects.select_related("user").get(pk=export_id)
    kind = KINDS[export.kind]
    asked = asked_of(export)
    about = kind.count(asked) if asked is not None else 0
    if asked is None or about > MOST_ROWS:
        with record():
            transitions.fail(export_id=export_id, problem=NOT_ALLOWED if asked is None else TOO_MANY)
        return
    with _draft() as draft:
        rows = write_rows(
            draft,
            kind=kind,
            asked=asked,
            language=export.language,
            note=lambda done: transitions.note(export_id=export_id, done=done, about=about),
        )
        name, size = storage_name(export_id=export_id), draft.tell()
        draft.seek(0)
        _store(draft, name)
    with record():
        whose = asked.show_ids
        if transitions.finish(export_id=export_id, rows=rows, size=size, name=name, show_ids=whose, kept=KEPT):
            _tell(export)


def asked_of(export: Export) -> Asked | None:
    """What its rows are, by the rights that its login has now; None where it may have none of them."""
    user = export.user
    if user is None or not user.is_active or not may_export(user, export.kind):
        return None
    shows = shows_for(user, export.kind)
    if export.show_id is not None:
        ids: list[int] | None = [export.show_id]
        if shows is not None:
            ids = list(shows.filter(pk=export.show_id).values_list("pk", flat=True))
    elif export.venue_id is not None:
        of_venue = (Show.objects.all() if shows is None else shows).filter(venue_id=export.venue_id)
        ids = list(of_venue.values_list("pk", flat=True))
    else:
        ids = None if shows is None else list(shows.values_list("pk", flat=True))
    return Asked(show_ids=ids, first=export.first, last=export.last, until=export.asked_at)


def write_rows(
    draft: IO[bytes], *, kind: ModuleType, asked: Asked, language: str, note: Callable[[int], object]
) -> int:
    """Write header and rows in ``language``; return how many rows. note: is told after each page."""
    dialect, done = dialect_of(language), 0
    lines = csv.writer(_Encoder(draft), delimiter=dialect.delimiter, lineterminator="\r\n")
    with translation.override(language):
        draft.write(BYTE_ORDER_MARK.encode())
        lines.writerow(kind.header())
        for page in kind.pages(asked):
            lines.writerows(kind.cells(row, dialect) for row in page)
            done += len(page)
            note(done)
    return done


def storage_name(*, export_id: int) -> str:
    """Where the file lies: the same each time, and a secret without the site's key."""
    secret = salted_hmac("boxoffice.export", str(export_id), algorithm="sha256").hexdigest()[:32]
    return f"exports/{export_id}/{secret}.csv"


class _Encoder:
    """What csv writes to: text in, UTF-8 out."""

    def __init__(self, into: IO[bytes]) -> None:
        self._into = into

    def write(self, words: str) -> int:
        # A name may hold what is no character: half of one, that some client sent.
        return self._into.write(words.encode("utf-8", errors="replace"))


@contextmanager
def _draft() -> Iterator[IO[bytes]]:
    """A file of this process alone, which is gone afterwards, also when the process dies."""
    with tempfile.TemporaryFile(prefix=f"export-{os.getpid()}-") as file:
        yield file


def _store(draft: IO[bytes], name: str) -> None:
    stored = ticket_storage().save(name, File(draft, name=name))
    if stored != name:
        ticket_storage().delete(stored)
        raise StorageKeepsOldFiles


def _tell(export: Export) -> None:
    """Plan the mail; none to a login without an address, which finds the file on the page."""
    plan_notification(
        kind=export_ready.KIND,
        subject=export.subject,
        recipient=export.user.email if export.user else "",
        language=export.language,
        task=mail_task(kind=export_ready.KIND),
    )
