"""Relays die, stand still and are cut off around the mark and the publication; one, and two at once (I2, I3)."""

from __future__ import annotations

from tests.chaos.faults import fault
from tests.chaos.scene import Scene
from tests.failpoints import Action


@fault("killed before the mark")
def killed_before_the_mark(scene: Scene) -> None:
    _relay_while_struck(scene, "before the mark", "kill", every=8)


@fault("killed after the mark", short=True)
def killed_after_the_mark(scene: Scene) -> None:
    _relay_while_struck(scene, "after the mark", "kill", every=3)


@fault("killed after publishing")
def killed_after_publishing(scene: Scene) -> None:
    _relay_while_struck(scene, "after publishing", "kill", every=3)


@fault("cut off from the broker after the mark")
def cut_off_from_the_broker(scene: Scene) -> None:
    _relay_while_struck(scene, "after the mark", "cut the broker", every=3)


@fault("cut off from the database after the mark")
def cut_off_after_the_mark(scene: Scene) -> None:
    _relay_while_struck(scene, "after the mark", "cut the database", every=3)


@fault("cut off from the database before the mark")
def cut_off_before_the_mark(scene: Scene) -> None:
    _relay_while_struck(scene, "before the mark", "cut the database", every=8)


@fault("two relays, killed after the mark", relays=2)
def two_killed_after_the_mark(scene: Scene) -> None:
    _relay_while_struck(scene, "after the mark", "kill", every=3)


@fault("two relays, killed after publishing", relays=2)
def two_killed_after_publishing(scene: Scene) -> None:
    _relay_while_struck(scene, "after publishing", "kill", every=3)


@fault("two relays, each paused between mark and publication", relays=2)
def two_paused_in_turn(scene: Scene) -> None:
    """The other one finds the jobs without messages and publishes them; then the first publishes them as well."""
    for turn in range(2):
        scene.arm("after the mark", "pause all", times=1, every=2)
        scene.enqueue(scene.jobs // 2, prefix=f"turn{turn}.")
        scene.until_fired("after the mark")
        (paused,) = scene.failpoints.fired_by("after the mark")
        scene.until_all_ended()
        scene.crew.group_of(paused).resume()
    # The late messages come before these, so they have been looked at when these are done.
    scene.enqueue(scene.jobs // 4, prefix="last.")


def _relay_while_struck(scene: Scene, point: str, action: Action, *, every: int) -> None:
    """Jobs come in small lots meanwhile, so that there are many batches to strike at."""
    scene.arm(point, action, times=min(3, max(1, scene.jobs // 50)), every=every)
    lots = 20
    for lot in range(lots):
        scene.enqueue(scene.jobs // lots, prefix=f"lot{lot}.")
        scene.until(lambda: scene.number_in("waiting") < scene.jobs // 4, "the relay takes them")
    scene.until_all_ended()
