"""Putting aside messages that the ledger knows nothing of, once somebody has looked at them.

The row stays, and with it who looked and what they thought. The same message seen again is still counted on it, and
does not come back to the list.
"""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from jobs.audit import require_reason
from jobs.session import count

log = structlog.get_logger(__name__)

DISCARD_DEAD_LETTERS = """
    UPDATE jobs_deadletter
    SET discarded_at = jobs_now(), discarded_by = %(by)s, discarded_reason = %(reason)s
    WHERE id = ANY(%(ids)s) AND discarded_at IS NULL
"""


def discard_dead_letters(*, letter_ids: Sequence[int], by: str, reason: str, using: str = "default") -> int:
    """Mark these dead letters as discarded; return how many were open until now. Raises ReasonMissing."""
    require_reason(by=by, reason=reason)
    parameters = {"ids": list(letter_ids), "by": by.strip(), "reason": reason.strip()}
    discarded = count(using, DISCARD_DEAD_LETTERS, parameters)
    log.info("dead_letters_discarded", count=discarded)
    return discarded
