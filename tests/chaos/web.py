"""Web processes die between insert and commit and after it, under fans who buy (I1, I2).

A purchase and its job exist both or not at all, and whoever read "bought" has it.
"""

from __future__ import annotations

from tests.chaos.faults import fault
from tests.chaos.scene import Scene
from tests.failpoints import Action

STRIKES = 8


@fault("killed between insert and commit", web=1, short=True)
def killed_before_the_commit(scene: Scene) -> None:
    _buy_while_struck(scene, "between insert and commit", "kill")
    scene.expect(scene.times_unanswered > 0, "no fan noticed anything")


@fault("killed after the commit, before the answer", web=1)
def killed_after_the_commit(scene: Scene) -> None:
    _buy_while_struck(scene, "after the commit, before the answer", "kill")
    scene.until_all_ended()
    unanswered = scene.observe().purchases - scene.promised
    scene.expect(unanswered, "no purchase was committed whose fan read nothing")


@fault("killed with all its processes between insert and commit", web=1)
def all_killed_before_the_commit(scene: Scene) -> None:
    _buy_while_struck(scene, "between insert and commit", "kill all", most=2)


@fault("cut off from the database between insert and commit", web=1)
def cut_off_before_the_commit(scene: Scene) -> None:
    _buy_while_struck(scene, "between insert and commit", "cut the database")


def _buy_while_struck(scene: Scene, point: str, action: Action, *, most: int = STRIKES) -> None:
    strikes = min(most, max(2, scene.jobs // 20))
    scene.arm(point, action, times=strikes, every=max(2, scene.jobs // (2 * strikes)))
    with scene.buyers():
        pass
