"""Planning that many people are told something, once each, by one statement: none of them passes through here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobs.enqueue_selected import enqueue_selected
from notifications.erased_recipient import FINGERPRINT, erasing_secret
from notifications.models import Notification
from notifications.plan import INSERT_NOTIFICATIONS, require_transaction, sending_domain
from notifications.unsubscribe import UNSUBSCRIBED

# A key for each, drawn once: the message id is made of it as well.
KEYED = "SELECT subject, recipient, language, gen_random_uuid() AS key FROM recipients"

QUEUED = INSERT_NOTIFICATIONS.format(recipients="keyed", columns="id, subject, status", fingerprint=FINGERPRINT)

# One job for each notification that was queued, and none for those whose reader wants no more of this kind.
JOBS = "SELECT jsonb_build_object('notification_id', id) AS args, subject FROM queued WHERE status = 'queued'"


def plan_notifications(
    *,
    kind: str,
    recipients: str,
    params: Mapping[str, Any],
    task: str,
    steps: Mapping[str, str] | None = None,
    occurrence: str = "",
    channel: str = Notification.Channel.EMAIL,
    priority: int | None = None,
) -> int:
    """Insert a queued notification for each of ``recipients`` and the job that sends it; return how many jobs.

    What ``plan_notification`` does, for all of them at once: the same message, planned before or twice among these, is
    planned once.

    kind, task, occurrence, channel: as for ``plan_notification``. priority: of the jobs; the queue's when None.
    recipients: SQL with the columns ``subject``, ``recipient`` and ``language``. steps, params: SQL that comes before
        it, by name, and the values of all of it; see ``enqueue_selected``, which also says that SQL is never made of
        what somebody typed. The names ``recipients``, ``keyed`` and ``queued`` are taken, and so are the values
        ``kind``, ``channel``, ``occurrence``, ``sending_domain``, ``why_ended`` and ``erasing_secret``.

    Raises NotInTransaction outside a transaction, and ValueError for a name that is taken.
    """
    require_transaction()
    own_steps = {"recipients": recipients, "keyed": KEYED, "queued": QUEUED}
    own_values = {
        "kind": kind,
        "channel": channel,
        "occurrence": occurrence,
        "sending_domain": sending_domain(),
        "why_ended": UNSUBSCRIBED,
        "erasing_secret": erasing_secret(),
    }
    if taken := (own_steps.keys() & (steps or {}).keys()) | (own_values.keys() & params.keys()):
        raise ValueError(f"These names are taken: {', '.join(sorted(taken))}.")
    return enqueue_selected(
        task=task,
        steps={**(steps or {}), **own_steps},
        rows=JOBS,
        params={**params, **own_values},
        priority=priority,
    )
