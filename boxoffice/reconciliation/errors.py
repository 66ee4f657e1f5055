"""Why nothing was reconciled. Each docstring is the message and says what to do."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import BoxOfficeError


class DayNotOver(BoxOfficeError):
    __doc__ = gettext_noop("This day has not begun. Reconcile a day that is over, or the present one.")


class SpanRefused(BoxOfficeError):
    __doc__ = gettext_noop(
        "The last day is before the first one, or more than 400 days after it. Nothing was changed: name the days that "
        "the report was made for."
    )


class MalformedTransaction(BoxOfficeError):
    __doc__ = gettext_noop(
        "The payment provider tells of a balance transaction otherwise than it documents. Nothing was changed; tell an "
        "engineer."
    )


class ReportRefused(BoxOfficeError):
    """The report cannot be read rightly, so that nothing of it was.

    line: where, counted as editors do. also: the earlier line that contradicts it, or 0. problem: what is wrong.
    """

    def __init__(self, problem: str, *, line: int, also: int = 0) -> None:
        self.problem, self.line, self.also = problem, line, also
        super().__init__(_("Line %(line)d: %(problem)s Nothing was changed.") % {"line": line, "problem": problem})
