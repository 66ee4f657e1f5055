"""What a dead job means for its export, and what its replay does about it."""

from __future__ import annotations

from django.utils.translation import gettext_noop

from boxoffice.exports import transitions

BROKE_OFF = gettext_noop("It could not be written. Whoever looks after the ledger sees why.")


def mark_export_failed(*, export_id: int) -> bool:
    """The job that writes it is dead. Runs in the transaction that marks the job dead."""
    return transitions.fail(export_id=export_id, problem=BROKE_OFF)


def reopen_failed_export(*, export_id: int) -> bool:
    """The inverse, for the replay of that job."""
    return transitions.plan_again(export_id=export_id)
