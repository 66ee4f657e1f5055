"""Enabling and disabling a periodic task by hand.

Guarantee: when a task is disabled, nothing of it is enqueued any more by its plan; and who did it and why stands in the
audit trail, or nothing has changed.
"""

from __future__ import annotations

import structlog
from django.db import transaction
from django_celery_beat.models import PeriodicTask, PeriodicTasks

from jobs.audit import require_reason, write_down_target
from jobs.clock import DatabaseNow
from jobs.models import Schedule, StaffAction

log = structlog.get_logger(__name__)


def enable_schedule(*, schedule_id: int, by: str, reason: str) -> bool:
    """Let it be planned again, from now on; return False if it was enabled already, or is gone.

    Raises ReasonMissing.
    """
    return _switch(schedule_id, enabled=True, by=by, reason=reason)


def disable_schedule(*, schedule_id: int, by: str, reason: str) -> bool:
    """Enqueue nothing of it any more; return False if it was disabled already, or is gone. Raises ReasonMissing.

    Jobs of it that are in the ledger already stay there.
    """
    return _switch(schedule_id, enabled=False, by=by, reason=reason)


def hold_plan(*, schedule_id: int) -> None:
    """Keep beats from enqueueing anything of it until the caller's transaction ends.

    Call it before the periodic task's row is changed: beats lock the two in this order.
    """
    Schedule.objects.select_for_update().filter(pk=schedule_id).first()


def forget_plan(*, schedule_id: int) -> None:
    """Take the next run away, so that a beat which is about to enqueue it does not; beats plan what is enabled anew."""
    Schedule.objects.filter(pk=schedule_id).update(next_run_at=None, definition="", error="")


def target_of(name: str) -> str:
    """How the audit trail calls the schedule."""
    return f"schedule {name}"


def _switch(schedule_id: int, *, enabled: bool, by: str, reason: str) -> bool:
    require_reason(by=by, reason=reason)
    action = StaffAction.Action.RESUME if enabled else StaffAction.Action.PAUSE
    # The library forgets the last run of what is disabled as well.
    values = {"enabled": enabled, "date_changed": DatabaseNow()} | ({} if enabled else {"last_run_at": None})
    with transaction.atomic():
        hold_plan(schedule_id=schedule_id)
        if not PeriodicTask.objects.filter(pk=schedule_id, enabled=not enabled).update(**values):
            return False
        forget_plan(schedule_id=schedule_id)
        PeriodicTasks.update_changed()
        name = PeriodicTask.objects.values_list("name", flat=True).get(pk=schedule_id)
        write_down_target(action=action, target=target_of(name), by=by, reason=reason)
    log.info("schedule_switched", schedule=name, enabled=enabled)
    return True
