"""Which mails somebody waits for, and which can wait for those."""

from __future__ import annotations

import pytest
from django.conf import settings

from boxoffice.errors import UnknownMessage
from boxoffice.messages import CAN_BE_ENDED, KINDS, KINDS_FOR_EACH_TIME, KINDS_FOR_MANY
from boxoffice.messages.urgency import MAIL_TASKS, is_urgent, mail_task
from jobs.destinations import destination_of

ALL = {**KINDS, **KINDS_FOR_MANY, **KINDS_FOR_EACH_TIME}


def test_what_many_get_at_once_is_not_urgent_and_everything_else_is() -> None:
    # Nobody ends the mails that say what became of a show: he would stand before a closed door.
    of_a_show = {"show_moved", "show_postponed", "show_goes_on", "show_cancelled"}
    assert {kind for kind in ALL if not is_urgent(kind=kind)} == CAN_BE_ENDED | of_a_show


def test_tickets_and_refunds_go_before_reminders() -> None:
    assert settings.LEDGER_TASKS[mail_task(kind="tickets_ready")] == "messages"
    assert settings.LEDGER_TASKS[mail_task(kind="refund_done")] == "messages"
    assert settings.LEDGER_TASKS[mail_task(kind="reminder")] == "bulk"


def test_both_tasks_call_the_same_provider() -> None:
    assert {destination_of(task) for task in MAIL_TASKS} == {"mail"}


def test_a_kind_that_is_not_listed_has_no_urgency() -> None:
    with pytest.raises(UnknownMessage):
        is_urgent(kind="gossip")
