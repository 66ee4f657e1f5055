"""Beats die, stand still, are told to stop and lose their database, with others beside them (I9, I10).

Each schedule is due each second, and what was missed is made up for: every due time is promised, and each is one job.
No broker has a part in it.
"""

from __future__ import annotations

import os
import signal
from datetime import datetime, timedelta
from functools import partial

from django.db import connection

from jobs.clock import database_now
from jobs.models import Lease, ScheduledRun
from jobs.schedules.ticker import TERM_SECONDS
from tests.chaos.faults import Act, fault
from tests.chaos.scene import Scene
from tests.failpoints import Action
from tests.fixtures_clock import CLOCK_AS_IT_IS, MOVED_CLOCK
from tests.probe_schedules import PLANNED_WITHIN, SECOND, ProbeSchedule, add_schedule
from tests.processes import Process

SECONDS = 8
"""How long the schedules are due. There are as many as make the scene's jobs."""
PAST_THE_LEASE = TERM_SECONDS + 1

beat_fault = partial(fault, beats=2, jobs=0.5, seconds=90.0, each_broker=False)


def _struck_at(point: str, action: Action, *, times: int, seconds: int = SECONDS) -> Act:
    """One beat after the other is struck in the middle of a run; the next one when all are there again."""

    def act(scene: Scene) -> None:
        schedules = _schedules(scene, seconds=seconds)
        for _ in range(times):
            scene.arm(point, action, times=1, every=3)
            scene.until_fired(point)
            (struck,) = scene.failpoints.fired_by(point)
            if action in ("kill", "tell to stop"):
                scene.until(lambda struck=struck: not _is_there(scene, struck), "it has ended")  # type: ignore[misc]
            _until_complete(scene)
        _until_over(scene, schedules)

    return act


beat_fault("killed after a run is enqueued, before its commit", short=True)(
    _struck_at("after a run is enqueued, before its commit", "kill", times=1)
)
beat_fault("killed after the commit of a run")(_struck_at("after the commit of a run", "kill", times=1))
beat_fault("cut off from the database in a run")(
    _struck_at("after the claim of a due time", "cut the database", times=3)
)


@beat_fault("told to stop in a run, one after the other")
def told_to_stop(scene: Scene) -> None:
    """Another one takes over at once, well before the lease would be over."""
    _struck_at("after the claim of a due time", "tell to stop", times=2, seconds=2 * SECONDS)(scene)
    late = max(claimed - due for due, claimed in ScheduledRun.objects.values_list("due_at", "enqueued_at"))
    scene.expect(late < timedelta(seconds=TERM_SECONDS), f"a run was {late} late: a lease was left behind")


@beat_fault("each paused in a run, past its lease")
def paused_in_turn(scene: Scene) -> None:
    """PostgreSQL ends its transaction, another one makes up for it; then it wakes up, and would go on."""
    point = "after a run is enqueued, before its commit"
    schedules = _schedules(scene, seconds=2 * SECONDS)
    for _ in range(2):
        scene.arm(point, "pause all", times=1, every=2)
        scene.until_fired(point)
        (paused,) = scene.failpoints.fired_by(point)
        scene.until(lambda paused=paused: _owner() not in ("", str(paused)), "another one takes over")  # type: ignore[misc]
        scene.crew.group_of(paused).resume()
    _until_over(scene, schedules)


@beat_fault("three, killed, paused and told to stop at random", beats=3, short=True)
def storm(scene: Scene) -> None:
    schedules = _schedules(scene, seconds=2 * SECONDS)
    asleep: dict[Process, datetime] = {}
    while (now := database_now()) < schedules[-1].end:
        for beat in [beat for beat, until in asleep.items() if until < now]:
            beat.resume()
            del asleep[beat]
        harm = scene.chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
        beat = scene.chance.choice(scene.crew.all_of("beat"))
        if beat.alive and not asleep:
            scene.strike(partial(os.kill, beat.pid, harm))
        if harm == signal.SIGSTOP and not asleep:
            asleep[beat] = now + SECOND * scene.chance.uniform(1, PAST_THE_LEASE + 1)
        scene.pause(scene.chance.uniform(0.5, 2))
        scene.replace_the_dead()
    for beat in asleep:
        beat.resume()
    _until_over(scene, schedules)


@beat_fault("PostgreSQL stopped and started again")
def database_restarted(scene: Scene) -> None:
    schedules = _schedules(scene, seconds=SECONDS)
    for strike in (1, 2):
        scene.until(lambda strike=strike: len(schedules[0].due_times()) > 2 * strike, "some have run")  # type: ignore[misc]
        scene.strike(partial(scene.servers.stop_postgres, signal.SIGINT))
        scene.servers.start_postgres()
    _until_over(scene, schedules)


@beat_fault("the clock set forth and back")
def clock_set(scene: Scene) -> None:
    """By more than a lease's time. What would come a second time has had its run."""
    schedules = _schedules(scene, seconds=3 * SECONDS)
    with connection.cursor() as cursor:
        cursor.execute(CLOCK_AS_IT_IS)
        (as_it_is,) = cursor.fetchone()
    try:
        scene.until(lambda: len(schedules[0].due_times()) > 2, "some have run")
        scene.strike(partial(_set_clock, MOVED_CLOCK.format(seconds=SECONDS)))
        scene.until(lambda: len(schedules[0].due_times()) > SECONDS + 2, "they run ahead of time")
    finally:
        scene.strike(partial(_set_clock, as_it_is))
    _until_over(scene, schedules)


def _schedules(scene: Scene, *, seconds: int) -> list[ProbeSchedule]:
    """So many that their due times are the scene's jobs, spread over each second; planned, and so promised."""
    number = max(3, scene.jobs // seconds)
    schedules = [
        add_schedule(seconds=seconds, after=PLANNED_WITHIN + SECOND * place / number) for place in range(number)
    ]
    scene.until(lambda: all(schedule.next_run_at() for schedule in schedules), "they are planned")
    for schedule in schedules:
        first = schedule.next_run_at()
        scene.promised.update(key for key in schedule.keys if first and datetime.fromisoformat(key) >= first)
    return schedules


def _until_over(scene: Scene, schedules: list[ProbeSchedule]) -> None:
    scene.until(lambda: all(schedule.is_over() for schedule in schedules), "all that was due has its run")


def _until_complete(scene: Scene) -> None:
    """Wait until there is one that ticks, and another one to take over."""
    scene.until(lambda: len(scene.crew.all_of("beat")) == scene.fault.beats, "there are enough beats")
    for beat in scene.crew.all_of("beat"):
        beat.wait_until_ready()
    scene.until(_owner, "one of them ticks")


def _is_there(scene: Scene, pid: int) -> bool:
    return any(beat.pid == pid for beat in scene.crew.all_of("beat"))


def _owner() -> str:
    """The number of the process that ticks, or nothing."""
    owner = Lease.objects.filter(name="beat", until__gt=database_now()).values_list("owner", flat=True).first()
    return (owner or "").rpartition(":")[2]


def _set_clock(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
