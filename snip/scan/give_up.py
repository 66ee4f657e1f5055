"""What a dead scan means for its link, and what its replay does about it."""

from __future__ import annotations

from snip.links import transitions
from snip.scan.refusals import Reason
from snip.scan.transitions import look_again


def give_up(*, link_id: int, version: int) -> bool:
    """The job is dead: scanning → refused, so that whoever made the link knows. Returns whether it moved.

    Runs in the transaction that marks the job dead, with the job's arguments.
    """
    return transitions.refuse(link_id=link_id, version=version, why=Reason.NO_ANSWER.value)


def take_up(*, link_id: int, version: int) -> bool:
    """The inverse, for the replay of that job: refused for this → scanning. Returns whether it moved."""
    return look_again(link_id=link_id, version=version)
