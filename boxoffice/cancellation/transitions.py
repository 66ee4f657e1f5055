"""Every change of a cancellation's state: one conditional UPDATE each, whose row count decides.

``refunding → telling → waiting → closing → closed``, and, beside that, not paused ⇄ paused until it is closed. Who
changes several things locks it first; see Note [Order of locks].
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection

from boxoffice.models import Cancellation, CancellationStep
from jobs.clock import DatabaseNow

Phase, Pause = Cancellation.Phase, Cancellation.Pause

LONGEST_WHO, LONGEST_WHY = 150, 300

_NOT_PAUSED: dict[str, Any] = {"pause": "", "paused_at": None, "paused_by": "", "pause_reason": ""}

# One for each show, whoever asks at once. By the unique show_id.
START = """
    INSERT INTO boxoffice_cancellation (show_id, phase, cursor, by, reason, started_at, pause, paused_by, pause_reason)
    VALUES (%(show_id)s, 'refunding', %(cursor)s, %(by)s, %(reason)s, jobs_now(), '', '', '')
    ON CONFLICT (show_id) DO NOTHING
    RETURNING *
"""

# The result of the newest look takes the place of the one before. By cancellation_step_once.
NOTE_LOOK = """
    INSERT INTO boxoffice_cancellationstep (cancellation_id, step, number, result, at)
    VALUES (%(cancellation)s, 'look', 0, %(result)s, jobs_now())
    ON CONFLICT (cancellation_id, step, number) DO UPDATE SET result = excluded.result, at = excluded.at
"""


def start(*, show_id: int, cursor: int, by: str, reason: str) -> Cancellation | None:
    """The row of a show that was not cancelled before; None where it was. cursor: before the first order."""
    values = {"show_id": show_id, "cursor": cursor, "by": by[:LONGEST_WHO], "reason": reason[:LONGEST_WHY]}
    for cancellation in Cancellation.objects.raw(START, values):
        return cancellation
    return None


def lock_at(*, cancellation_id: int, phase: str, cursor: int) -> Cancellation | None:
    """The cancellation, locked, if it stands where a step was to begin; None where that step was done."""
    here = Cancellation.objects.filter(pk=cancellation_id, phase=phase, cursor=cursor)
    return here.select_for_update(no_key=True).first()


def move_cursor(cancellation: Cancellation, *, to: int) -> None:
    """The same phase goes on behind this order. The row is locked."""
    _here(cancellation).update(cursor=to)
    cancellation.cursor = to


def begin_telling(cancellation: Cancellation, *, cursor: int) -> None:
    """refunding → telling. The row is locked."""
    _move(cancellation, Phase.TELLING, cursor=cursor)


def begin_waiting(cancellation: Cancellation, *, lasts: timedelta) -> None:
    """telling → waiting, for so long. The row is locked."""
    _move(cancellation, Phase.WAITING, cursor=0, close_at=DatabaseNow() + lasts)
    cancellation.refresh_from_db(fields=["close_at"])


def begin_closing(cancellation: Cancellation) -> bool:
    """waiting → closing, once its time has come. False before."""
    due = _here(cancellation).filter(phase=Phase.WAITING, close_at__lte=DatabaseNow())
    if due.update(phase=Phase.CLOSING) != 1:
        return False
    cancellation.phase = Phase.CLOSING
    return True


def close(cancellation: Cancellation) -> None:
    """closing → closed, for good. The row is locked."""
    _move(cancellation, Phase.CLOSED, closed_at=DatabaseNow(), **_NOT_PAUSED)


def pause_by_staff(*, show_id: int, by: str, reason: str) -> Cancellation | None:
    """not paused, or paused for want of balance → paused by staff. None where it was, or is closed."""
    goes_on = Cancellation.objects.filter(show_id=show_id).exclude(phase=Phase.CLOSED).exclude(pause=Pause.STAFF)
    if goes_on.update(**_paused(Pause.STAFF, by=by, reason=reason)) != 1:
        return None
    return Cancellation.objects.get(show_id=show_id)


def pause_for_balance(*, by: str, reason: str) -> list[Cancellation]:
    """not paused → paused for want of balance, all that are open. Returns which."""
    goes_on = Cancellation.objects.exclude(phase=Phase.CLOSED).filter(pause="")
    # In one order, so that two who are told so at once do not wait for each other.
    found = list(goes_on.select_for_update(no_key=True).order_by("pk"))
    goes_on.filter(pk__in=[each.pk for each in found]).update(**_paused(Pause.BALANCE, by=by, reason=reason))
    return found


def resume(*, show_id: int) -> Cancellation | None:
    """paused → not paused. None where it was not."""
    if Cancellation.objects.filter(show_id=show_id).exclude(pause="").update(**_NOT_PAUSED) != 1:
        return None
    return Cancellation.objects.get(show_id=show_id)


def resume_after_balance() -> list[Cancellation]:
    """paused for want of balance → not paused. Returns which."""
    paused = Cancellation.objects.filter(pause=Pause.BALANCE)
    found = list(paused.select_for_update(no_key=True).order_by("pk"))
    paused.filter(pk__in=[each.pk for each in found]).update(**_NOT_PAUSED)
    return found


def write_step(
    cancellation: Cancellation, step: CancellationStep.Step, *, number: int = 0, result: dict[str, Any]
) -> None:
    """Write down what a step did. Raises IntegrityError where it was done before: nothing of it may commit then."""
    CancellationStep.objects.create(cancellation=cancellation, step=step, number=number, result=result)


def note_look(cancellation: Cancellation, *, result: str) -> None:
    """Write down what the newest look at the accounting has found, as JSON."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE_LOOK, {"cancellation": cancellation.pk, "result": result})


def _here(cancellation: Cancellation) -> Any:
    return Cancellation.objects.filter(pk=cancellation.pk, phase=cancellation.phase, cursor=cancellation.cursor)


def _move(cancellation: Cancellation, to: Cancellation.Phase, **values: Any) -> None:
    if _here(cancellation).update(phase=to, **values) != 1:
        raise AssertionError(f"{cancellation!r} is not where its lock keeps it.")
    cancellation.phase = to
    cancellation.cursor = values.get("cursor", cancellation.cursor)


def _paused(pause: Cancellation.Pause, *, by: str, reason: str) -> dict[str, Any]:
    return {
        "pause": pause,
        "paused_at": DatabaseNow(),
        "paused_by": by[:LONGEST_WHO],
        "pause_reason": reason[:LONGEST_WHY],
    }
