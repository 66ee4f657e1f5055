"""Deleting a link. Its row, its codes and its clicks stay, so that no code ever comes to mean something else."""

from __future__ import annotations

from django.db import transaction

from jobs.audit import require_reason
from jobs.events import publish
from snip.events import LinkChanged
from snip.links import transitions
from snip.links.errors import LinkDeleted
from snip.links.trail import write_link_action
from snip.models import LinkAction


def delete_link(*, link_id: int, by: str, reason: str) -> int:
    """Retire all its codes for ever; returns the last version. One transaction. There is no way back.

    Raises ReasonMissing, and LinkDeleted for one that is already.
    """
    require_reason(by=by, reason=reason)
    with transaction.atomic():
        version = transitions.delete(link_id=link_id)
        if version is None:
            raise LinkDeleted
        write_link_action(link_id=link_id, action=LinkAction.Action.DELETE, by=by, what=reason)
        publish(LinkChanged(link_id=link_id, version=version))
    return version
