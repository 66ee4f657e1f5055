"""What a fault is, and the list of all. A family's module adds its faults when it is imported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.chaos.scene import Scene

Act = Callable[["Scene"], None]


@dataclass(frozen=True)
class Fault:
    """One line of the run.

    act: does the harm, while the scene's jobs run. short: whether the short form has it too.
    jobs: how many, in proportion: 0.5 is half of what was asked for, where each takes long.
    seconds: how long all of it may take at most. each_broker: False for what asks no broker for anything.
    """

    name: str
    family: str
    act: Act
    short: bool = False
    jobs: float = 1.0
    seconds: float = 60.0
    relays: int = 1
    web: int = 0
    beats: int = 0
    each_broker: bool = True


ALL: list[Fault] = []


def fault(name: str, **options: float | int | bool) -> Callable[[Act], Act]:
    """Enter the decorated function into the list, under the family of its module."""

    def enter(act: Act) -> Act:
        family = act.__module__.rpartition(".")[2]
        ALL.append(Fault(name=name, family=family, act=act, **options))  # type: ignore[arg-type]
        return act

    return enter
