"""Workers and their children die, stand still and are cut off at every step of a job (I2, I3, I4)."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from tests.chaos.crew import children_of
from tests.chaos.faults import Act, fault
from tests.chaos.scene import Scene
from tests.failpoints import WORKER, Action

IN_SHORT_FORM = "after the effect, before done"


def _struck_at(point: str, action: Action, *, times: int) -> Act:
    def act(scene: Scene) -> None:
        strikes = min(times, max(2, scene.jobs // 20))
        scene.arm(point, action, times=strikes, every=max(2, scene.jobs // (strikes + 4)))
        scene.enqueue()
        scene.until_all_ended()
        calls, most = sum(scene.provider.calls.values()), len(scene.provider.effects) + _in_hand(action) * strikes
        scene.expect(calls <= most, f"{calls} calls, and at most {most} can be explained")

    return act


def _in_hand(action: Action) -> int:
    """The runs that one strike can break off: a child's only one, or those of both children."""
    return 2 if action == "kill all" else 1


for _point in WORKER:
    fault(f"child killed {_point}", short=_point == IN_SHORT_FORM)(_struck_at(_point, "kill", times=12))

for _point in ("before the claim", "after the claim", "in the call", "after the commit, before the ack"):
    fault(f"killed {_point}")(_struck_at(_point, "kill all", times=3))

for _point in ("before the claim", "in the call", "after the effect, before done", "after done, before its commit"):
    fault(f"cut off from the database {_point}")(_struck_at(_point, "cut the database", times=8))


fault("cut off from the broker as a message arrives")(_struck_at("as a message arrives", "cut the broker", times=4))


@fault("children killed at any moment, as by OOM", short=True)
def killed_as_by_oom(scene: Scene) -> None:
    scene.provider.forget(seconds=0.02)
    scene.enqueue()
    kills = 8
    for kill in range(kills):
        scene.until_share_done((kill + 1) / (kills + 2))
        children = [child for worker in scene.crew.workers for child in children_of(worker)]
        with suppress(ProcessLookupError):  # it ended by itself
            if children:
                victim = scene.chance.choice(children)
                scene.strike(lambda victim=victim: os.kill(victim, signal.SIGKILL))  # type: ignore[misc]


@fault("told to stop, one after the other")
def rolling_restart(scene: Scene) -> None:
    """As in every deploy: what runs ends or is handed back, and nothing is even repeated."""
    scene.provider.forget(seconds=0.02)
    scene.enqueue()
    for turn in range(2):
        scene.until_share_done((turn + 1) / 4)
        worker = scene.crew.workers[0]
        scene.strike(worker.terminate)
        scene.until(lambda: len(scene.crew.workers) == 2, "it is replaced")
        scene.crew.workers[-1].wait_until_ready()
    scene.until_all_ended()
    repeated = sum(scene.provider.calls.values()) - len(scene.provider.effects)
    scene.expect(repeated == 0, f"{repeated} calls were repeated over an orderly stop")


@fault("paused in the call, beyond its lease", short=True)
def paused_in_the_call(scene: Scene) -> None:
    _paused_beyond_its_lease(scene, "in the call")


@fault("paused after the effect, before done, beyond its lease")
def paused_in_its_transaction(scene: Scene) -> None:
    _paused_beyond_its_lease(scene, "after the effect, before done")


@fault("paused after done, before its commit, beyond its lease")
def paused_before_its_commit(scene: Scene) -> None:
    _paused_beyond_its_lease(scene, "after done, before its commit")


def _paused_beyond_its_lease(scene: Scene, point: str) -> None:
    """A worker with its children stands still; its jobs run elsewhere; then it goes on, and its record is refused."""
    turns = min(2, max(1, scene.jobs // 100))
    for turn in range(turns):
        scene.arm(point, "pause all", times=1, every=max(2, scene.jobs // 5))
        scene.enqueue(scene.jobs // turns, prefix=f"turn{turn}.")
        scene.until_fired(point)
        (child,) = scene.failpoints.fired_by(point)
        paused = scene.crew.group_of(child)
        scene.until_all_ended()
        printed = len(paused.output)
        paused.resume()
        scene.until(
            lambda paused=paused, printed=printed: any("lease_lost" in line for line in paused.output[printed:]),  # type: ignore[misc]
            "the late record is refused",
        )
    scene.until_all_workers_work()
