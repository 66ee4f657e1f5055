"""What the scanner changes about a link beside ``pass_scan`` and ``refuse`` of ``snip/links/transitions.py``.

Each is one conditional UPDATE whose row count decides, and needs an open transaction.
"""

from __future__ import annotations

from inventory.statements import count_of
from snip.scan.refusals import Reason

# Nothing is served any more of what was looked at; a target that was edited meanwhile is none of it. By primary key.
WITHDRAW = """
    UPDATE snip_link SET served_target = '', state = CASE state WHEN 'live' THEN 'refused' ELSE state END,
           refusal = CASE state WHEN 'live' THEN %(why)s ELSE refusal END
     WHERE id = %(link_id)s AND served_target = %(target)s AND state IN ('scanning', 'live', 'refused')
"""

# For the replay of a job that had given up, and for no other refusal. By primary key.
LOOK_AGAIN = """
    UPDATE snip_link SET state = 'scanning', refusal = ''
     WHERE id = %(link_id)s AND version = %(version)s AND state = 'refused' AND refusal = %(why)s
"""


def withdraw(*, link_id: int, target: str, why: str) -> bool:
    """Stop serving ``target``: live → refused, with the reason; a link that is being checked, or was refused with
    another target, stays what it is. False where something else is served, or the link is blocked or deleted.
    """
    return count_of(WITHDRAW, link_id=link_id, target=target, why=why) == 1


def look_again(*, link_id: int, version: int) -> bool:
    """refused for want of an answer → scanning, while this version is the link's. Returns whether it moved."""
    return count_of(LOOK_AGAIN, link_id=link_id, version=version, why=Reason.NO_ANSWER.value) == 1
