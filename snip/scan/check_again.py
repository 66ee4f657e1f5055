"""Looking again at targets that are served: who passed once may have changed the page since.

Paced: so many links each time as a week needs, and no more at once.
"""

from __future__ import annotations

import structlog

from inventory.statements import count_of, rows_of
from jobs.enqueue_many import enqueue_many
from jobs.errors import TransientError
from jobs.new_job import NewJob
from jobs.record import record
from snip.models.link import subject_of
from snip.scan.follow import Found, Scanner
from snip.scan.metrics import count_scan
from snip.scan.refusals import Reason, Refused
from snip.scan.scan_link import CHECKED_AGAIN, note_check, scanner_in_force
from snip.scan.transitions import withdraw

log = structlog.get_logger(__name__)

TASK = "snip.check_again"

AT_ONCE = 50
"""Links that one run of the schedule hands out. Every five minutes, that is a hundred thousand in a week."""

TRIED_AGAIN = 3600
"""Seconds until a target that gave no answer is looked at again. It goes on being served: its site may be back soon,
and a site that is away does no harm."""

HARMLESS = {
    Reason.NOT_FOUND,
    Reason.NO_SUCH_SITE,
    Reason.CERTIFICATE,
    Reason.TOO_MANY_REDIRECTS,
    Reason.REDIRECT_LOOP,
}
"""What nobody needs to be kept from: people see for themselves that the page is gone. A new link would be refused."""

# What is handed out is not handed out again within the hour, in which it has long ended. By targetcheck_due.
TAKE_DUE = """
    UPDATE snip_targetcheck SET due_at = jobs_now() + interval '1 hour' WHERE link_id = ANY(ARRAY(
        SELECT link_id FROM snip_targetcheck WHERE due_at <= jobs_now() ORDER BY due_at LIMIT %(most)s
           FOR UPDATE SKIP LOCKED))
    RETURNING link_id
"""

# By primary key.
SERVED = """
    SELECT served_target FROM snip_link
     WHERE id = %(link_id)s AND served_target <> '' AND state IN ('scanning', 'live', 'refused')
"""

# Of a link that serves nothing: once something passes, the row is there again. A blocked one may serve again without
# that, so that its row stays. By primary key.
FORGET = """
    DELETE FROM snip_targetcheck
     WHERE link_id = %(link_id)s AND EXISTS (SELECT FROM snip_link WHERE id = %(link_id)s
                                                AND (served_target = '' OR state = 'deleted'))
"""

# By primary key.
TRY_AGAIN = """
    UPDATE snip_targetcheck SET due_at = jobs_now() + %(seconds)s * interval '1 second' WHERE link_id = %(link_id)s
"""


def hand_out_checks() -> int:
    """Enqueue the checks that are due, AT_ONCE at most; return how many. In the caller's transaction."""
    ids = sorted(link_id for (link_id,) in rows_of(TAKE_DUE, most=AT_ONCE))
    enqueue_many(
        NewJob(task=TASK, args={"link_id": link_id}, subject=subject, ordering_key=subject)
        for link_id in ids
        for subject in [subject_of(link_id=link_id)]
    )
    return len(ids)


def check_again(*, link_id: int, scanner: Scanner | None = None) -> None:
    """Follow what the link serves; withdraw it where that is refused now. Raises nothing for a site that is away.

    Call it outside a transaction. The reason is the link's where it was live; one that is being checked, or was refused
    with another target, only stops serving the old one.
    """
    served = rows_of(SERVED, link_id=link_id)
    if not served:
        with record():
            count_of(FORGET, link_id=link_id)
            count_of(TRY_AGAIN, link_id=link_id, seconds=CHECKED_AGAIN)
        return
    target = served[0][0]
    try:
        found: Found | Refused | TransientError = (scanner or scanner_in_force()).follow(target)
    except (Refused, TransientError) as why_not:
        found = why_not
    count_scan(look="again", seen=found)
    if isinstance(found, Refused):
        _withdraw(found, link_id=link_id, target=target)
        return
    with record():
        if isinstance(found, Found):
            note_check(link_id=link_id, found=found)
        else:
            count_of(TRY_AGAIN, link_id=link_id, seconds=TRIED_AGAIN)


def _withdraw(refused: Refused, *, link_id: int, target: str) -> None:
    with record():
        if refused.reason in HARMLESS:
            count_of(TRY_AGAIN, link_id=link_id, seconds=CHECKED_AGAIN)
            return
        withdrawn = withdraw(link_id=link_id, target=target, why=refused.in_english())
        count_of(FORGET, link_id=link_id)
    log.warning("target_refused_later", link=link_id, reason=refused.reason.name, withdrawn=withdrawn)
