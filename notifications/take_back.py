"""Taking back what was planned to be told, is not so any more, and has not been tried yet."""

from __future__ import annotations

from notifications import transitions
from notifications.plan import require_transaction


def take_back(*, subject: str, kind: str, reason: str) -> int:
    """Suppress what is queued of this kind about ``subject`` and was never handed to a provider; return how many.

    Part of the caller's transaction, which makes it untrue: a run that has written the message already finds it
    suppressed and does not send it. One of which an attempt was made may be out, and is left alone. reason: why it is
    not so any more, in a few words for staff. Raises NotInTransaction outside a transaction.
    """
    require_transaction()
    return transitions.suppress_untried(subject=subject, kind=kind, reason=reason)
