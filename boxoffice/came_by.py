"""Note [Came by a link]: what a browser remembers of the tracked link that led it to a show: that show, and the code.

The redirect adds ``?via=CODE`` to addresses of our own shows' pages. The page lets the browser remember it, and the
order that is placed for that show keeps the code. The last link counts, for a day, and for its own show only: a
promoter sees nothing of what is sold for others. It says nothing of who somebody is, and it proves nothing: whoever
types a code by hand makes a link look better than it is, and pays for it with an order.
"""

from __future__ import annotations

import re
from datetime import timedelta

PARAMETER = "via"
COOKIE = "via"
REMEMBERED_FOR = timedelta(days=1)

_CODE = re.compile(r"[A-Za-z0-9-]{1,32}")
"""Whatever a link's code can be, aliases included."""

_REMEMBERED = re.compile(r"(\d{1,18})\.([a-z0-9-]{1,32})")


def note_of(code: str, *, show_id: int) -> str:
    """What the browser is to remember; empty for what is no code. Codes are in lower case. Pure."""
    return f"{show_id}.{code.lower()}" if _CODE.fullmatch(code) else ""


def code_for(note: str, *, show_id: int) -> str:
    """The code in what the browser remembers, if it is of this show; else empty. Pure."""
    found = _REMEMBERED.fullmatch(note)
    return found[2] if found is not None and found[1] == str(show_id) else ""
