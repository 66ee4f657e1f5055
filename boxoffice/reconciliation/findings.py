"""Reading findings: what is open, what a day's mail tells, what an order has."""

from __future__ import annotations

from datetime import date

from django.db.models import Count, QuerySet

from boxoffice.models import Finding


def _with_all() -> QuerySet[Finding]:
    return Finding.objects.select_related("transaction", "payment", "refund", "order")


def open_findings(*, kind: str = "", owner: str | None = None) -> QuerySet[Finding]:
    """Those that nobody has resolved, the oldest day first. kind, owner: narrow them; an empty owner means nobody's.

    By finding_open.
    """
    found = _with_all().filter(resolution="")
    if kind:
        found = found.filter(kind=kind)
    if owner is not None:
        found = found.filter(owner=owner)
    return found.order_by("day", "pk")


def count_open() -> dict[str, int]:
    """How many of each kind are open. By finding_open."""
    rows = Finding.objects.filter(resolution="").order_by().values_list("kind").annotate(Count("pk"))
    return dict(rows)


def findings_of_day(*, day: date) -> QuerySet[Finding]:
    """Those in the sums of this day, resolved ones with them. By finding_by_day."""
    return _with_all().filter(day=day).order_by("pk")


def findings_told_with(*, day: date) -> QuerySet[Finding]:
    """Those that the run of this day was the first to tell: what its mail names, and no other mail. By finding_by_mail.

    One may be about an earlier day: what was in flight until now.
    """
    return _with_all().filter(told_with=day).order_by("pk")


def findings_of_order(*, order_id: int) -> QuerySet[Finding]:
    """All that were ever found about an order. By the foreign key's index."""
    return _with_all().filter(order_id=order_id).order_by("pk")
