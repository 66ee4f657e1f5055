"""One order, all that is known of it: the facts, one timeline, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from boxoffice.models import Order
from boxoffice.support.story.facts import Facts, gather_facts
from boxoffice.support.story.problems import Problem, find_problems
from boxoffice.support.story.timeline import Entry, build_timeline, instant_in_words


@dataclass(frozen=True)
class ToldNote:
    """A note that stands on top. when: in the venue's time."""

    at: datetime
    when: str
    by: str
    text: str


@dataclass(frozen=True)
class Story:
    """What the support desk shows of an order. ``problems`` is empty when all is well. notes: the newest first."""

    facts: Facts
    timeline: Sequence[Entry]
    problems: Sequence[Problem]
    notes: Sequence[ToldNote] = ()


def tell_story(*, order: Order) -> Story:
    """Read the order's story: thirteen queries. ``order`` comes with its show, venue and hold selected."""
    facts = gather_facts(order=order)
    notes = [ToldNote(note.at, instant_in_words(note.at, facts), note.by, note.text) for note in reversed(facts.notes)]
    return Story(facts=facts, timeline=build_timeline(facts), problems=find_problems(facts), notes=notes)
