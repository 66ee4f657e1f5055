"""What BoxOffice tells people: one module per kind, listed here.

``notifications`` plans and delivers and knows none of these words. A kind's ``draft`` is called when the message is
sent, with the language of its reader active, so that it tells how things stand then.
"""

from __future__ import annotations

from collections.abc import Callable

from boxoffice.errors import UnknownMessage
from boxoffice.messages import tickets_ready
from boxoffice.messages.base import Draft

KINDS: dict[str, Callable[..., Draft]] = {
    tickets_ready.KIND: tickets_ready.draft,
}


def draft(*, kind: str, subject: str) -> Draft:
    """Draft the message of this kind about this subject (``order:<code>``) in the active language.

    Raises UnknownMessage for a kind that is not listed, and what the kind itself raises.
    """
    writer = KINDS.get(kind)
    if writer is None:
        raise UnknownMessage
    return writer(subject=subject)
