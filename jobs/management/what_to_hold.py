"""The options of the commands that pause and resume: which queue or destination, who, and why."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from jobs.management.dead_jobs import typed_words
from jobs.models import Pause


def add_target_options(parser: ArgumentParser) -> None:
    """Let the command take ``--queue`` or ``--destination``, ``--by`` and ``--reason``."""
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--queue", help="name of the queue, such as messages")
    target.add_argument("--destination", help="name of the provider, such as mail")
    parser.add_argument("--by", type=typed_words, required=True, help="who does this, for the audit trail")
    parser.add_argument("--reason", type=typed_words, required=True, help="why, for the audit trail")


def target_of(options: dict[str, Any]) -> dict[str, str]:
    """What was named, as ``pause`` and ``resume`` take it."""
    if options["queue"] is not None:
        return {"kind": Pause.Kind.QUEUE, "name": options["queue"]}
    return {"kind": Pause.Kind.DESTINATION, "name": options["destination"]}
