"""Looking at a link's target before it goes live.

Guarantee: the verdict is about one version of the link. It is written only while that version is the link's and still
waits for it; a result that comes late changes nothing. Nothing is asked of the network inside a transaction.
"""

from __future__ import annotations

import structlog

from inventory.statements import count_of, rows_of
from jobs.errors import TransientError
from jobs.record import record
from snip.links import transitions
from snip.scan.block_list import is_blocked
from snip.scan.follow import Found, Scanner
from snip.scan.metrics import count_scan
from snip.scan.policy import policy_in_force
from snip.scan.refusals import Refused

log = structlog.get_logger(__name__)

CHECKED_AGAIN = 7 * 24 * 3600
"""Seconds after which a target that is served is looked at again: it was harmless then."""

# By primary key.
WAITS_FOR_VERDICT = """
    SELECT target FROM snip_link WHERE id = %(link_id)s AND version = %(version)s AND state = 'scanning'
"""

# By primary key.
NOTE_CHECK = """
    INSERT INTO snip_targetcheck (link_id, ends_at, redirects, due_at)
    VALUES (%(link_id)s, %(ends_at)s, %(redirects)s, jobs_now() + %(seconds)s * interval '1 second')
    ON CONFLICT (link_id) DO UPDATE
    SET ends_at = excluded.ends_at, redirects = excluded.redirects, checked_at = jobs_now(), due_at = excluded.due_at
"""


def scanner_in_force() -> Scanner:
    """That of this installation: its settings, the operators' list, the machine's resolver."""
    return Scanner(policy=policy_in_force(), is_blocked=is_blocked)


def scan_link(*, link_id: int, version: int, scanner: Scanner | None = None) -> None:
    """Follow the target of this version and write the verdict: live, or refused with the reason.

    Does nothing where the link has another version by now, or waits for no verdict. Call it outside a transaction.
    Raises TransientError (NameUnanswered, Unreachable, NotWell) for what may pass: the ledger tries again.
    """
    waits = rows_of(WAITS_FOR_VERDICT, link_id=link_id, version=version)
    if not waits:
        log.info("scan_not_needed", link=link_id, version=version)
        return
    try:
        found: Found | Refused = (scanner or scanner_in_force()).follow(waits[0][0])
    except Refused as refused:
        found = refused
    except TransientError as away:
        count_scan(look="first", seen=away)
        raise
    count_scan(look="first", seen=found)
    with record():
        if isinstance(found, Refused):
            in_time = transitions.refuse(link_id=link_id, version=version, why=found.in_english())
        else:
            in_time = transitions.pass_scan(link_id=link_id, version=version)
            if in_time:
                note_check(link_id=link_id, found=found)
    verdict = found.reason.name if isinstance(found, Refused) else "LIVE"
    log.info("link_scanned", link=link_id, version=version, verdict=verdict, in_time=in_time)


def note_check(*, link_id: int, found: Found) -> None:
    """Keep where the target ended, and that it is due again after CHECKED_AGAIN. One query."""
    count_of(NOTE_CHECK, link_id=link_id, ends_at=found.address, redirects=found.hops, seconds=CHECKED_AGAIN)
