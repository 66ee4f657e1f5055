"""The sites that no link may lead to. A name stands for itself and for all names below it.

Every change stands in the trail (``SiteAction``), written in its transaction.
"""

from __future__ import annotations

from inventory.statements import count_of, rows_of
from jobs.audit import signed
from snip.models import SiteAction
from snip.scan.hosts import read_host

# The name itself and each name above it. By primary key.
IS_BLOCKED = "SELECT EXISTS (SELECT FROM snip_blockedsite WHERE host = ANY(%(names)s))"

# By primary key.
BLOCK_SITE = """
    INSERT INTO snip_blockedsite (host, why, added_by) VALUES (%(host)s, %(why)s, %(by)s) ON CONFLICT DO NOTHING
"""

# By primary key.
LIFT_BLOCK = "DELETE FROM snip_blockedsite WHERE host = %(host)s"

# Whatever is served below the name is looked at next, whenever it was due. Reads all links that are served: some tens
# of milliseconds for a hundred thousand, when an operator blocks a site.
BRING_FORWARD = r"""
    UPDATE snip_targetcheck AS c SET due_at = jobs_now() FROM snip_link AS l
     WHERE l.id = c.link_id AND c.due_at > jobs_now()
       AND (lower(substring(l.served_target FROM '^[a-zA-Z]+://([^/:?#]*)')) = ANY(ARRAY[%(host)s])
            OR lower(substring(l.served_target FROM '^[a-zA-Z]+://([^/:?#]*)')) LIKE '%%.' || %(host)s
            OR lower(substring(c.ends_at FROM '^[a-zA-Z]+://([^/:?#]*)')) = %(host)s
            OR lower(substring(c.ends_at FROM '^[a-zA-Z]+://([^/:?#]*)')) LIKE '%%.' || %(host)s)
"""


def is_blocked(host: str) -> bool:
    """Whether ``host`` (ASCII, small letters) is on the list, or below a name that is. One query."""
    labels = host.split(".")
    names = [".".join(labels[start:]) for start in range(len(labels))]
    return bool(rows_of(IS_BLOCKED, names=names)[0][0])


def block_site(*, host: str, why: str, by: str) -> int | None:
    """Add a site, in the caller's transaction; return how many served links are looked at anew for it.

    None where it is on the list already. Raises Refused for what is no host name, and ReasonMissing.
    """
    said = signed(by=by, reason=why)
    name = read_host(host)
    if not count_of(BLOCK_SITE, host=name, why=said["reason"], by=said["by"]):
        return None
    SiteAction.objects.create(host=name, action=SiteAction.Action.BLOCK, by=said["by"], why=said["reason"])
    return count_of(BRING_FORWARD, host=name)


def lift_block(*, host: str, why: str, by: str) -> bool:
    """Take a site off the list, in the caller's transaction; whether it was on it. Links that were refused for it are
    checked when they are saved.

    Raises Refused for what is no host name, and ReasonMissing.
    """
    said = signed(by=by, reason=why)
    name = read_host(host)
    if not count_of(LIFT_BLOCK, host=name):
        return False
    SiteAction.objects.create(host=name, action=SiteAction.Action.LIFT, by=said["by"], why=said["reason"])
    return True
