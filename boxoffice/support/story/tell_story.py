"""One order, all that is known of it: the facts, one timeline, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boxoffice.models import Order
from boxoffice.support.story.facts import Facts, gather_facts
from boxoffice.support.story.problems import Problem, find_problems
from boxoffice.support.story.timeline import Entry, build_timeline


@dataclass(frozen=True)
class Story:
    """What the support desk shows of an order. ``problems`` is empty when all is well."""

    facts: Facts
    timeline: Sequence[Entry]
    problems: Sequence[Problem]


def tell_story(*, order: Order) -> Story:
    """Read the order's story: ten queries. ``order`` comes with its show, venue and hold selected."""
    facts = gather_facts(order=order)
    return Story(facts=facts, timeline=build_timeline(facts), problems=find_problems(facts))
