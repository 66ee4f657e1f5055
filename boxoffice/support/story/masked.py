"""The story for staff who need not know whose order it is: names and addresses masked wherever they stand. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from boxoffice.support.story.facts import Facts
from boxoffice.support.story.tell_story import Story
from jobs.personal import masked_text


def masked(story: Story) -> Story:
    """The same, with the fan's names and addresses, earlier ones as well, cut to what tells two of them apart."""
    facts = story.facts

    def cut(text: str) -> str:
        for address in _addresses(facts):
            text = masked_text(text, address=address)
        for name in _names(facts):
            text = masked_text(text, name=name)
        return text

    return Story(
        facts=facts,
        timeline=[
            replace(entry, title=cut(entry.title), notes=[cut(note) for note in entry.notes])
            for entry in story.timeline
        ],
        notes=[replace(note, text=cut(note.text)) for note in story.notes],
        tickets=[replace(told, words=cut(told.words)) for told in story.tickets],
        problems=[replace(problem, what=cut(problem.what), advice=cut(problem.advice)) for problem in story.problems],
    )


def _names(facts: Facts) -> Iterable[str]:
    known = [facts.order.name, *(ticket.holder_name for ticket in facts.tickets)]
    known += [str(action.details[key]) for action in facts.actions for key in ("from", "to")
              if isinstance(action.details.get(key), str)]  # fmt: skip
    return dict.fromkeys(known)


def _addresses(facts: Facts) -> Iterable[str]:
    known = [facts.order.email, *(mail.recipient for mail in facts.mails if "@" in mail.recipient)]
    known += [address for action in facts.mail_actions for address in (action.recipient, action.earlier_recipient)]
    return dict.fromkeys(filter(None, known))
