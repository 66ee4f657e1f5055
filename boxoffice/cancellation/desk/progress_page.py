"""The page that tells how far the cancellation of a show is, kept fresh while something moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.cancellation.balance import looks_again_at
from boxoffice.cancellation.desk import order_rows
from boxoffice.cancellation.desk.headline import headline
from boxoffice.cancellation.desk.start_page import PERMISSION as CANCEL
from boxoffice.cancellation.desk.start_page import sums_in_words
from boxoffice.cancellation.read_progress import Pile, Progress, StepsDone, count_mails, read_progress
from boxoffice.cancellation.report.report_parts import parts_of_report
from boxoffice.cancellation.try_failed_again import failed_refunds
from boxoffice.models import Cancellation, Order, Refund
from boxoffice.refunds.code_words import code_in_words
from boxoffice.shows.show_desk import render
from inventory.venue_time import in_venue_time
from jobs.clock import database_now
from jobs.spans import seen_from
from notifications.models import Notification

PERMISSION = "boxoffice.view_cancellation"
WRITE_OFF = "boxoffice.write_off"
REFUND = "boxoffice.refund_order"

REFRESH_SECONDS = 5

LARGE = 5_000
"""Orders. From so many on, reading all their money takes some tenths of a second: too much for every look."""

MISSED = (Notification.Status.FAILED, Notification.Status.BOUNCED, Notification.Status.SUPPRESSED)

Phase = Cancellation.Phase


@dataclass(frozen=True)
class Line:
    """One line of a table: what it is called, how many, and what they come to."""

    name: str
    count: int
    money: str
    mark: str = ""


@dataclass(frozen=True)
class PhaseLine:
    """One phase: how it stands ("done", "running" or "waiting"), when, and what it did."""

    name: str
    mark: str
    when: str
    what: str


def progress_page(page: admin.ModelAdmin, request: HttpRequest, show_id: int) -> HttpResponse:
    """How far it is. Raises PermissionDenied, and Http404 for a show that was not cancelled so."""
    if not request.user.has_perm(PERMISSION) or not request.user.has_perm("inventory.view_show"):
        raise PermissionDenied
    is_large = Order.objects.filter(show_id=show_id)[LARGE : LARGE + 1].exists()
    is_light = is_large and _only_keeps_fresh(request)
    progress = read_progress(show_id=show_id, without_accounts=is_light)
    if progress is None:
        raise Http404
    if is_light and (progress.accounts is not None or not moves(progress)):
        is_light, progress = False, read_progress(show_id=show_id) or progress
    cancellation = progress.cancellation
    return render(
        page,
        request,
        cancellation.show,
        template="cancellation.html",
        title=_("How far the cancellation is"),
        progress=progress,
        cancellation=cancellation,
        moves=moves(progress),
        refresh_seconds=REFRESH_SECONDS,
        headline=headline(progress),
        looks_again=_looks_again(progress),
        refunds=refund_lines(progress),
        done_of=_done_of(progress),
        speed=speed_in_words(progress),
        phases=phase_lines(progress),
        is_light=is_light,
        is_large=is_large,
        account_rows=account_rows(progress),
        lists={} if is_light else _lists(progress),
        parts=() if is_light else parts_of_report(show_id=show_id),
        most=order_rows.MOST,
        **({} if is_light else _mails(cancellation)),
        may_be_paused=moves(progress),
        may_pause=request.user.has_perm(CANCEL) and cancellation.phase != Phase.CLOSED,
        may_write_off=request.user.has_perm(WRITE_OFF) and cancellation.phase != Phase.CLOSED,
        may_see_orders=request.user.has_perm("boxoffice.view_order"),
        may_refund=request.user.has_perm(REFUND),
        again="" if is_light else _again(request, progress),
        may_pay_out=request.user.has_perm("boxoffice.pay_out"),
        as_of=in_venue_time(instant=progress.as_of, zone=cancellation.show.venue.zone),
    )


def _only_keeps_fresh(request: HttpRequest) -> bool:
    """Whether this look only keeps an open page fresh. That of a large show then has the refunds and the phases alone,
    and the page keeps what it has of the rest until the look that a minute begins with.

    Browsers say so of a request that a script made. Whoever does not gets everything.
    """
    return request.headers.get("Sec-Fetch-Dest") == "empty" and database_now().second >= REFRESH_SECONDS


def moves(progress: Progress) -> bool:
    """Whether the page will look otherwise in a moment."""
    if progress.cancellation.phase in (Phase.REFUNDING, Phase.TELLING):
        return True
    return bool(progress.to_send.count or progress.under_way.count)


def refund_lines(progress: Progress) -> list[Line]:
    """How the refunds stand; together they are those that were planned."""
    kinds: list[tuple[str, Pile, str]] = [
        (_("Given back"), progress.done, "good"),
        (_("To be sent"), progress.to_send, "waiting"),
        (_("Being paid out by the provider"), progress.under_way, "running"),
        (_("Failed"), progress.failed, "bad"),
        (_("To be paid out by hand"), progress.by_hand, "warn"),
        (_("Written off"), progress.written_off, "plain"),
    ]
    return [Line(name, pile.count, sums_in_words(pile.money), mark) for name, pile, mark in kinds if pile.count]


def _done_of(progress: Progress) -> dict[str, Any]:
    planned, done = progress.planned.count, progress.done.count
    words = ngettext("%(done)s of %(n)s refund", "%(done)s of %(n)s refunds", planned)
    return {
        "planned": planned,
        "done": done,
        "words": words % {"done": grouped(done), "n": grouped(planned)},
        "money": sums_in_words(progress.planned.money),
    }


def speed_in_words(progress: Progress) -> str:
    """How fast refunds leave, and when the last one does. Empty where none is to be sent."""
    if not progress.to_send.count or progress.is_paused:
        return ""
    words = []
    if progress.rate is not None:
        words.append(_("%(n)s in a second, lately.") % {"n": number_format(progress.rate, 1)})
    if progress.ends_at is not None:
        ends = in_venue_time(instant=progress.ends_at, zone=progress.cancellation.show.venue.zone)
        words.append(
            _("The last one leaves %(when)s, about %(instant)s.")
            % {"when": seen_from(progress.ends_at, progress.as_of), "instant": ends}
        )
    return " ".join(words)


def phase_lines(progress: Progress) -> list[PhaseLine]:
    """The process from top to bottom, with the instants of what has happened."""
    cancellation, done = progress.cancellation, {step.step: step for step in progress.steps}
    order = list(Phase)
    here = order.index(Phase(cancellation.phase))

    def mark(phase: Phase) -> str:
        place = order.index(phase)
        return "good" if place < here or cancellation.phase == Phase.CLOSED else "running" if place == here else "plain"

    start = done.get("start")
    lines = [PhaseLine(_("Sale and holds stopped"), "good", _at(progress, cancellation.started_at), _stopped(start))]
    for phase, step, name, what in (
        (Phase.REFUNDING, "refund", _("Refunds planned"), _planned),
        (Phase.TELLING, "tell", _("Mails planned"), _told),
    ):
        steps = done.get(step)
        when = _at(progress, steps.ended_at) if steps and mark(phase) == "good" else ""
        lines.append(PhaseLine(name, mark(phase), when, what(steps) if steps else ""))
    close = ""
    if cancellation.close_at is not None and cancellation.phase != Phase.CLOSED:
        close = _("until %(until)s") % {"until": _at(progress, cancellation.close_at)}
    lines.append(PhaseLine(_("A week for banks and questions"), mark(Phase.WAITING), close, ""))
    closed = _at(progress, cancellation.closed_at) if cancellation.closed_at else ""
    lines.append(PhaseLine(_("Accounting closed"), mark(Phase.CLOSING), closed, " ".join(progress.reasons)))
    return lines


def _at(progress: Progress, instant: Any) -> str:
    return in_venue_time(instant=instant, zone=progress.cancellation.show.venue.zone)


def _stopped(start: StepsDone | None) -> str:
    if start is None or not start.holds:
        return ""
    return ngettext("%(n)s hold ended", "%(n)s holds ended", start.holds) % {"n": grouped(start.holds)}


def _planned(steps: StepsDone) -> str:
    orders = ngettext("%(n)s order", "%(n)s orders", steps.orders) % {"n": grouped(steps.orders)}
    refunds = ngettext("%(n)s refund", "%(n)s refunds", steps.refunds) % {"n": grouped(steps.refunds)}
    return f"{orders}, {refunds}"


def _told(steps: StepsDone) -> str:
    return ngettext("%(n)s mail", "%(n)s mails", steps.mails) % {"n": grouped(steps.mails)}


def _looks_again(progress: Progress) -> str:
    """When the balance that refunds wait for is looked at next, "in 40 seconds"; empty where they wait for none."""
    at = looks_again_at() if progress.cancellation.pause == Cancellation.Pause.BALANCE else None
    return seen_from(at, progress.as_of) if at is not None and at > progress.as_of else ""


def account_rows(progress: Progress) -> list[dict[str, Any]]:
    """One currency a row, its sums in words; whether it matches, and what is missing."""
    rows = []
    for account in progress.accounts.accounts if progress.accounts else ():
        open_now = account.under_way + account.left
        rows.append(
            {
                "paid": account.money(account.paid),
                "given_back": account.money(account.given_back),
                "bank": account.money(account.bank),
                "written_off": account.money(account.written_off),
                "missing": account.money(open_now),
                "not_back_yet": " ".join(account.not_back_yet()),
                "left": account.money(account.left),
                "matches": account.matches,
            }
        )
    return rows


def _lists(progress: Progress) -> dict[str, Sequence[Any]]:
    """Whom somebody must see to. Only what there is is read."""
    cancellation, accounts = progress.cancellation, progress.accounts.accounts if progress.accounts else ()
    show = {"show_id": cancellation.show_id}
    failed = order_rows.failed_orders(cancellation_id=cancellation.pk) if progress.failed.count else ()
    # What is left while refunds are being planned is what is still to come.
    is_left = progress.all_planned and any(account.left > 0 for account in accounts)
    left = order_rows.orders_left_over(**show) if is_left else ()
    with_attempt = {row.order_id for row in failed}
    return {
        "failed": [(row, _why(row)) for row in failed],
        "by_hand": order_rows.orders_by_hand(cancellation_id=cancellation.pk) if progress.by_hand.count else (),
        "left": [row for row in left if row.order_id not in with_attempt],
        "written_off": order_rows.orders_written_off(**show) if any(a.written_off for a in accounts) else (),
        "bank": order_rows.orders_with_the_bank(**show) if any(a.bank for a in accounts) else (),
    }


def _again(request: HttpRequest, progress: Progress) -> str:
    """The button that tries all again that failed; empty where a row's own does. One query, none where none failed."""
    if not progress.failed.count or not request.user.has_perm(REFUND):
        return ""
    count = failed_refunds(cancellation_id=progress.cancellation.pk).count
    return _("Try %(n)s again…") % {"n": grouped(count)} if count > 1 else ""


def _why(row: order_rows.OrderRow) -> str:
    """In words; the provider's code stands beside them for whoever looks it up there."""
    label = str(Refund.Failure(row.failure).label) if row.failure in Refund.Failure.values else ""
    details = code_in_words(row.failure_code) or row.message
    return f"{label}: {details}" if details else label


def _mails(cancellation: Cancellation) -> dict[str, Any]:
    """How the mails stand, and whom none has reached."""
    if cancellation.phase == Phase.REFUNDING:
        return {"mails": (), "untold": (), "untold_count": 0}
    labels = {status.value: str(status.label) for status in Notification.Status}
    counts = count_mails(cancellation_id=cancellation.pk)
    may_be_missed = any(counts.get(status) for status in MISSED)
    untold, count = order_rows.untold_orders(cancellation_id=cancellation.pk) if may_be_missed else ((), 0)
    return {
        "mails": [Line(labels.get(status, status), number, "") for status, number in sorted(counts.items())],
        "untold": untold,
        "untold_count": count,
    }


def grouped(count: int) -> str:
    """12,345 in the reader's language."""
    return number_format(count, use_l10n=True, force_grouping=True)
