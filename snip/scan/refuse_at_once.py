"""Telling whoever types a target at once what the scanner would refuse without asking anybody."""

from __future__ import annotations

from snip.links.clean_target import clean_target
from snip.links.errors import InvalidTarget
from snip.scan.policy import policy_in_force
from snip.scan.refusals import Refused, in_words
from snip.scan.targets import read_target


def fit_target(typed: str) -> str:
    """The address as ``clean_target`` keeps it, if its text passes the scanner's rules; nothing is looked up.

    Raises what ``clean_target`` raises, and InvalidTarget with the scanner's reason in the language that is active.
    """
    target = clean_target(typed)
    try:
        read_target(target, policy=policy_in_force())
    except Refused as refused:
        raise InvalidTarget(in_words(refused.in_english())) from None
    return target
