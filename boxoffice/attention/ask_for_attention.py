"""Asking the people of the box office to look at something: what a fan writes to them becomes an item."""

from __future__ import annotations

from uuid import UUID

import structlog
from django.db import connection

from boxoffice.models import Order
from boxoffice.models.attention import LONGEST_TEXT

log = structlog.get_logger(__name__)

# By the UNIQUE number.
ASK = """
    INSERT INTO boxoffice_askedattention (number, order_id, title, text, name, email, language)
    VALUES (%(number)s, %(order)s, %(title)s, %(text)s, %(name)s, %(email)s, %(language)s)
    ON CONFLICT (number) DO NOTHING
"""


def ask_for_attention(
    *,
    title: str,
    text: str,
    number: UUID,
    order: Order | None = None,
    name: str = "",
    email: str = "",
    language: str = "",
) -> bool:
    """Add a message; False where this ``number``, drawn by the page that asks, has added it before.

    title: what it is about, in a few words. text: what was written; both are cut to what their columns hold. order: the
    one that it is about, if that is known to be the writer's. name, email, language: whom to answer, and in what.

    One statement, in the caller's transaction or by itself. Raises ValueError where title or text says nothing.
    """
    title, text = title.strip()[:200], text.replace("\x00", "").strip()[:LONGEST_TEXT]
    if not title or not text:
        raise ValueError("Ask about something: title and text.")
    values = {
        "number": number,
        "order": order.pk if order is not None else None,
        "title": title,
        "text": text,
        "name": name[:200],
        "email": email[:254],
        "language": language[:16],
    }
    with connection.cursor() as cursor:
        cursor.execute(ASK, values)
        asked = cursor.rowcount == 1
    log.info("attention_asked", again=not asked)
    return asked
