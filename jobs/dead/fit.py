"""Whether the code of today can run a job of yesterday.

A replay that would die at once of a missing argument, or wait for ever in a queue that nobody works on, is refused
before anything changes.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.dead.callbacks import registered
from jobs.dead.selection import Filter, Shape, shapes
from jobs.queues import all_queues


@dataclass(frozen=True)
class Misfit:
    """Jobs that cannot be replayed, and why, in a sentence."""

    jobs: Shape
    why: str


def find_misfits(chosen: Filter, *, using: str = "default") -> list[Misfit]:
    """Which of the chosen jobs do not fit. One query, however many jobs there are."""
    checked = [
        Misfit(shape, why_not(task=shape.task, queue=shape.queue, names=shape.names))
        for shape in shapes(chosen, using=using)
    ]
    return [misfit for misfit in checked if misfit.why]


def why_not(*, task: str, queue: str, names: Collection[str] | None) -> str:
    """Why a job with arguments of these names cannot run today; empty if it can. ``names`` None: they are no object."""
    known = registered(task)
    if known is None or task not in settings.LEDGER_TASKS:
        return _("No app here has the task %(task)s.") % {"task": task}
    if queue not in {each.name for each in all_queues()}:
        return _("There is no queue %(queue)s any more.") % {"queue": queue}
    if names is None:
        return _("Its arguments are no object of names and values.")
    body = getattr(known, "_orig_run", None) or known.run
    return _unbound(inspect.signature(body), names)


def names_of(args: Any) -> list[str] | None:
    """The names of a job's arguments, or None if they are no object."""
    return sorted(args) if isinstance(args, dict) else None


def _unbound(signature: inspect.Signature, names: Collection[str]) -> str:
    parameters = signature.parameters.values()
    by_name = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    required = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    missing = [name for name in required if name not in names]
    unknown = [] if takes_all else [name for name in names if name not in by_name]
    sentences = []
    if missing:
        sentences.append(
            ngettext("The job lacks the argument %(names)s.", "The job lacks the arguments %(names)s.", len(missing))
            % {"names": ", ".join(missing)}
        )
    if unknown:
        sentences.append(
            ngettext(
                "The task does not take the job's argument %(names)s.",
                "The task does not take the job's arguments %(names)s.",
                len(unknown),
            )
            % {"names": ", ".join(unknown)}
        )
    return " ".join(sentences)
