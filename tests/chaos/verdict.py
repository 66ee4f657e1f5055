"""What a fault left behind, and whether that is right. Pure: the counting is proved by tests of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Observed:
    """What is there when all has come to rest. Every job has a key of its own, and everything is counted by it.

    promised: keys whose commit somebody was told of. states: the state of each job of the ledger.
    poison: the jobs that are not meant to end well, each with the state in which it must be.
    marks: rows that the jobs wrote in ``record()``. charged: the jobs that call the provider. effects: what came of
    it there. purchases: business rows of web requests. bought: the jobs that came with them.
    """

    promised: Set[str]
    states: Mapping[str, str]
    marks: Counter[str]
    poison: Mapping[str, str] = field(default_factory=dict)
    charged: Set[str] = frozenset()
    effects: Counter[str] = field(default_factory=Counter)
    purchases: Set[str] = frozenset()
    bought: Set[str] = frozenset()

    @property
    def innocent(self) -> Set[str]:
        return self.states.keys() - self.poison.keys()

    @property
    def lost(self) -> Set[str]:
        """Promised and not in the ledger, not done, done without its effects, or half of a purchase."""
        lost = {key for key in self.innocent if self.states[key] != "done" or not self.marks[key]}
        lost |= self.promised - self.states.keys()
        lost |= {key for key in self.charged & self.innocent if not self.effects[key]}
        return lost | (self.purchases ^ self.bought)

    @property
    def duplicated(self) -> Set[str]:
        """More than one effect, or an effect of what did not happen."""
        twice = {key for counted in (self.marks, self.effects) for key, times in counted.items() if times > 1}
        return twice | {key for key in self.marks if self.states.get(key) != "done"}

    def misplaced(self) -> list[str]:
        """Poison that is not in the state in which it must be."""
        return [
            f"{key} is {self.states.get(key, 'gone')} and should be {wanted}"
            for key, wanted in sorted(self.poison.items())
            if self.states.get(key) != wanted
        ]


@dataclass(frozen=True)
class Verdict:
    """One fault on one broker: the figures of its line, and everything that was not as it must be."""

    fault: str
    broker: str
    observed: Observed
    fired: int
    calls: int
    seconds: float
    recovered: float
    problems: tuple[str, ...] = ()

    @property
    def all_problems(self) -> list[str]:
        problems = [*self.problems, *self.observed.misplaced()]
        if self.fired == 0:
            problems.append("it never fired, so nothing was shown")
        for name, keys in (("lost", self.observed.lost), ("duplicated", self.observed.duplicated)):
            if keys:
                problems.append(f"{name}: {', '.join(sorted(keys)[:10])}")
        return problems

    @property
    def is_right(self) -> bool:
        return not self.all_problems

    def line(self) -> str:
        """For people and for grep; ends in what matters."""
        states = Counter(self.observed.states.values())
        repeats = self.calls - len(self.observed.effects)
        return (
            f"{self.fault:<66} {self.broker:<8} jobs={len(self.observed.states)} fired={self.fired}"
            f" done={states['done']} dead={states['dead']} calls={self.calls} repeated={repeats}"
            f" seconds={self.seconds:.1f} recovered={self.recovered:.1f}s"
            f" lost={len(self.observed.lost)} duplicated={len(self.observed.duplicated)}"
        )
