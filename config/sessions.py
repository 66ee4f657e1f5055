"""Sessions in the database: a sale needs nothing but PostgreSQL and the payment provider (I13).

A key comes in a cookie, and so from anybody. One that Django cannot have made is not looked up: PostgreSQL refuses
some of them, NUL characters for one, and the page would fail.
"""

from __future__ import annotations

import re

from django.contrib.sessions.backends import db

_KEY = re.compile(r"[a-z0-9]{32}")  # as SessionBase draws them


class SessionStore(db.SessionStore):
    """Django's own, with a stricter look at keys."""

    def _validate_session_key(self, key: str | None) -> bool:
        return key is not None and _KEY.fullmatch(key) is not None
