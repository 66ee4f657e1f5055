"""Disputes that no event ever told of: their money is in the provider's balance, which each night reads."""

from __future__ import annotations

from datetime import date

import structlog
from django.db import connection

from boxoffice.disputes.hear_dispute import look_at

log = structlog.get_logger(__name__)

MOST = 1_000
"""Of one day; whoever has more of them has lost all events, and the next night goes on."""

# By balance_by_day and dispute_once_per_provider_id.
UNKNOWN = """
    SELECT DISTINCT told.source, told.intent_id
      FROM boxoffice_balancetransaction AS told
     WHERE told.created_at >= %(day)s::date AT TIME ZONE 'UTC'
       AND told.created_at < (%(day)s::date + 1) AT TIME ZONE 'UTC'
       AND told.category IN ('dispute', 'dispute_reversal') AND told.source <> ''
       AND NOT EXISTS (SELECT FROM boxoffice_dispute AS known WHERE known.provider_id = told.source)
     ORDER BY 1 LIMIT %(most)s
"""


def look_for_disputes(*, day: date) -> int:
    """Let the job come that asks about each dispute of this day that we do not know; returns how many.

    Part of the caller's transaction. One that is of somebody else's payment is asked for again with each run of its
    day, and stays unknown.
    """
    with connection.cursor() as cursor:
        cursor.execute(UNKNOWN, {"day": day, "most": MOST})
        found = cursor.fetchall()
    for provider_id, intent_id in found:
        look_at(provider_id=provider_id, intent_id=intent_id)
    if found:
        log.warning("disputes_untold", day=f"{day}", disputes=len(found))
    return len(found)
