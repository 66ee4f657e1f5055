"""Writing a note about an order, for whoever looks at it next."""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction

from boxoffice.errors import OrderNotFound
from boxoffice.models import Order
from boxoffice.models.order_note import MAX_NOTE
from jobs.audit import require_reason

# By order_note_once_per_attempt.
WRITE_NOTE = """
    INSERT INTO boxoffice_ordernote (order_id, text, by, attempt)
    SELECT id, %(text)s, %(by)s, %(attempt)s FROM boxoffice_order WHERE id = %(order_id)s
    ON CONFLICT (attempt) DO NOTHING
"""


def write_note(*, order_id: int, text: str, by: str, attempt: UUID) -> bool:
    """Add the note; False where this attempt, drawn by the page that asked, has added it before. One transaction.

    text: cut after MAX_NOTE characters. Raises ReasonMissing where there is no text, and OrderNotFound.
    """
    require_reason(by=by, reason=text)
    values: dict[str, int | str | UUID] = {
        "order_id": order_id,
        "text": text.strip()[:MAX_NOTE],
        "by": by.strip()[:150],
        "attempt": attempt,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(WRITE_NOTE, values)
        if cursor.rowcount == 1:
            return True
    if not Order.objects.filter(pk=order_id).exists():
        raise OrderNotFound
    return False
