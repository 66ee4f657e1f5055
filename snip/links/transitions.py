"""Every change of a link and of its codes, each one conditional UPDATE whose row count decides.

All functions need an open transaction; the service that calls them owns it. Each touches one link; whoever changes its
codes as well locks the link's row first, by changing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inventory.statements import count_of, rows_of

# What was typed; a target that differs, or that was refused, is to be checked, and is not served until it has passed.
# The version that was seen decides between two who press. By primary key.
EDIT_LINK = """
    UPDATE snip_link
       SET target = %(target)s, label = %(label)s, show_id = %(show_id)s, owner_id = %(owner_id)s,
           expires_at = %(expires_at)s, version = version + 1, refusal = '',
           state = CASE WHEN target = %(target)s AND state = 'live' THEN 'live' ELSE 'scanning' END
     WHERE id = %(link_id)s AND version = %(seen)s AND state IN ('scanning', 'live', 'refused')
       AND (%(expires_at)s::timestamptz IS NULL OR %(expires_at)s > jobs_now() OR %(expires_at)s = expires_at)
    RETURNING version
"""

# The scanner's word about one version; none about one that was changed, blocked or deleted meanwhile. By primary key.
LET_LIVE = """
    UPDATE snip_link SET state = 'live', served_target = target
     WHERE id = %(link_id)s AND version = %(version)s AND state = 'scanning'
"""

# The same. What was served before goes on being served. By primary key.
REFUSE_LINK = """
    UPDATE snip_link SET state = 'refused', refusal = %(why)s
     WHERE id = %(link_id)s AND version = %(version)s AND state = 'scanning'
"""

# By primary key.
BLOCK_LINK = """
    UPDATE snip_link SET state = 'blocked', refusal = '', version = version + 1
     WHERE id = %(link_id)s AND state IN ('scanning', 'live', 'refused')
    RETURNING version
"""

# Live again what had passed; anything else is checked first. By primary key.
UNBLOCK_LINK = """
    UPDATE snip_link SET state = CASE WHEN served_target = target THEN 'live' ELSE 'scanning' END, version = version + 1
     WHERE id = %(link_id)s AND state = 'blocked'
    RETURNING version
"""

# By primary key.
DELETE_LINK = """
    UPDATE snip_link SET state = 'deleted', refusal = '', version = version + 1
     WHERE id = %(link_id)s AND state <> 'deleted'
    RETURNING version
"""

# Uses the index of the foreign key.
RETIRE_CODES = """
    UPDATE snip_linkcode SET retired_at = jobs_now() WHERE link_id = %(link_id)s AND retired_at IS NULL
"""

# A drawn code stays: it is the link's name for good. By primary key.
RETIRE_ALIAS = """
    UPDATE snip_linkcode SET retired_at = jobs_now()
     WHERE code = %(code)s AND link_id = %(link_id)s AND is_alias AND retired_at IS NULL
"""

# What changes with its aliases. By primary key.
COUNT_UP = """
    UPDATE snip_link SET version = version + 1 WHERE id = %(link_id)s AND state NOT IN ('blocked', 'deleted')
    RETURNING version
"""

# Whoever comes second with a code gets no row, be it retired or not. By primary key.
ADD_CODES = """
    INSERT INTO snip_linkcode (code, link_id, is_alias)
    SELECT code, link_id, %(is_alias)s FROM unnest(%(codes)s::text[], %(link_ids)s::bigint[]) AS new (code, link_id)
     ORDER BY code
    ON CONFLICT (code) DO NOTHING
    RETURNING code, link_id
"""


def edit(
    *,
    link_id: int,
    seen: int,
    target: str,
    label: str,
    show_id: int | None,
    owner_id: int | None,
    expires_at: datetime | None,
) -> int | None:
    """live | scanning | refused → scanning, or live as before where the target stays; returns the new version.

    None where the link was changed since version ``seen``, is blocked or deleted, or would expire in the past.
    """
    return _version(
        EDIT_LINK,
        link_id=link_id,
        seen=seen,
        target=target,
        label=label,
        show_id=show_id,
        owner_id=owner_id,
        expires_at=expires_at,
    )


def pass_scan(*, link_id: int, version: int) -> bool:
    """scanning → live, and its target is what is served from now on; not for another version than the link's."""
    return count_of(LET_LIVE, link_id=link_id, version=version) == 1


def refuse(*, link_id: int, version: int, why: str) -> bool:
    """scanning → refused, with the reason in words (300 characters); not for another version than the link's."""
    return count_of(REFUSE_LINK, link_id=link_id, version=version, why=why) == 1


def block(*, link_id: int) -> int | None:
    """scanning | live | refused → blocked; returns the new version, or None where it was none of them."""
    return _version(BLOCK_LINK, link_id=link_id)


def unblock(*, link_id: int) -> int | None:
    """blocked → live, or scanning where the target had not passed yet; returns the new version, or None."""
    return _version(UNBLOCK_LINK, link_id=link_id)


def delete(*, link_id: int) -> int | None:
    """Anything → deleted, with all codes retired for ever; returns the new version, or None where it was already."""
    version = _version(DELETE_LINK, link_id=link_id)
    if version is not None:
        count_of(RETIRE_CODES, link_id=link_id)
    return version


def count_up(*, link_id: int) -> int | None:
    """The version of a link whose aliases change, and with it the lock on its row; None if blocked or deleted."""
    return _version(COUNT_UP, link_id=link_id)


def retire_alias(*, link_id: int, code: str) -> bool:
    """The word leads nowhere any more, and never again; whether it did and was an alias of that link."""
    return count_of(RETIRE_ALIAS, link_id=link_id, code=code) == 1


def add_codes(*, codes: Sequence[str], link_ids: Sequence[int], is_alias: bool) -> dict[str, int]:
    """The codes that were free, each with the link that has it now. One statement."""
    return dict(rows_of(ADD_CODES, codes=list(codes), link_ids=list(link_ids), is_alias=is_alias))


def _version(statement: str, **values: object) -> int | None:
    rows = rows_of(statement, **values)
    return rows[0][0] if rows else None
