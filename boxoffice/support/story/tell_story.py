"""One order, all that is known of it: the facts, one timeline, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from boxoffice.models import Order
from boxoffice.support.story.facts import OPEN_STATES, Facts, gather_facts
from boxoffice.support.story.problems import Problem, find_problems
from boxoffice.support.story.ticket_words import ToldTicket, told_tickets
from boxoffice.support.story.timeline import Entry, build_timeline, instant_in_words
from jobs.models import Job

SOON = timedelta(minutes=1)
"""As long as somebody looks at a page for something to happen on it."""


@dataclass(frozen=True)
class ToldNote:
    """A note that stands on top. when: in the venue's time."""

    at: datetime
    when: str
    by: str
    text: str


@dataclass(frozen=True)
class Story:
    """What the support desk shows of an order. ``problems`` is empty when all is well. notes: the newest first.
    tickets: each with how it stands.
    """

    facts: Facts
    timeline: Sequence[Entry]
    problems: Sequence[Problem]
    notes: Sequence[ToldNote] = ()
    tickets: Sequence[ToldTicket] = ()

    @property
    def is_under_way(self) -> bool:
        """Whether a job about the order is at work, or soon will be: the page is about to say something else."""
        soon = self.facts.now + SOON
        return any(
            job.state in OPEN_STATES and (job.state != Job.State.WAITING or job.available_at <= soon)
            for job in self.facts.jobs
        )


def tell_story(*, order: Order) -> Story:
    """Read the order's story: fifteen queries. ``order`` comes with its show, venue and hold selected."""
    facts = gather_facts(order=order)
    notes = [ToldNote(note.at, instant_in_words(note.at, facts), note.by, note.text) for note in reversed(facts.notes)]
    return Story(
        facts=facts,
        timeline=build_timeline(facts),
        problems=find_problems(facts),
        notes=notes,
        tickets=list(told_tickets(facts)),
    )
