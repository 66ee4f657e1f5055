"""Names of new objects in the form of Stripe's."""

from __future__ import annotations

import secrets
import string

_LETTERS = string.ascii_letters + string.digits


def new_id(prefix: str, length: int = 24) -> str:
    """``pi_3Qx…``: the prefix of the kind and letters that nobody guesses."""
    return prefix + "".join(secrets.choice(_LETTERS) for _ in range(length))
