"""Blocking a link, which then leads nowhere (410), and letting it live again."""

from __future__ import annotations

from django.db import transaction

from jobs.audit import require_reason
from jobs.events import publish
from snip.events import LinkChanged
from snip.links import transitions
from snip.links.errors import NotBlockable, NotBlocked
from snip.links.trail import write_link_action
from snip.models import LinkAction


def block_link(*, link_id: int, by: str, reason: str) -> int:
    """Let nobody through any more, whatever was served; returns the new version. One transaction.

    Redirects that keep the link in memory hold to it until they read it again, some seconds later.
    Raises ReasonMissing, and NotBlockable for a link that is blocked or deleted already.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        version = transitions.block(link_id=link_id)
        if version is None:
            raise NotBlockable
        write_link_action(link_id=link_id, action=LinkAction.Action.BLOCK, by=by, what=reason)
        publish(LinkChanged(link_id=link_id, version=version))
    return version


def unblock_link(*, link_id: int, by: str, reason: str) -> int:
    """Let it live again, or be checked where its target had not passed yet; returns the new version. One transaction.

    Raises ReasonMissing, and NotBlocked.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        version = transitions.unblock(link_id=link_id)
        if version is None:
            raise NotBlocked
        write_link_action(link_id=link_id, action=LinkAction.Action.UNBLOCK, by=by, what=reason)
        publish(LinkChanged(link_id=link_id, version=version))
    return version
