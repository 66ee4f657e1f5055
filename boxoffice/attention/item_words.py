"""What the items of a page say: what is wrong, what to do, and where it is mended.

The words are those of the order's page (``boxoffice/support/story/``), so that the list and the page say the same. Few
queries, however many items: one for each kind that is on the page.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_celery_beat.models import PeriodicTask

from boxoffice.attention.find_items import Item
from boxoffice.attention.kinds import Kind, kind_named
from boxoffice.messages import show_cancelled
from boxoffice.models import AskedAttention, Cancellation, Dispute, Order, Payment, Refund
from boxoffice.refunds.kept_by_bank import kept_by_bank
from boxoffice.support.story.dispute_story import what_is_disputed
from boxoffice.support.story.last_news import last_news, missed_news_in_words, was_missed
from boxoffice.support.story.payment_story import what_is_wrong
from boxoffice.support.story.problems import (
    dead_job_in_words,
    failed_tickets_in_words,
    late_tickets_in_words,
    lost_mail_in_words,
)
from boxoffice.support.story.refund_story import what_is_owed
from jobs.dead.selection import count_by_cause
from jobs.personal import name_for, text_for
from jobs.queues import all_queues
from jobs.spans import span_in_words
from notifications.models import Notification
from tickets.models import Ticket


@dataclass(frozen=True)
class ItemWords:
    """One item as the page tells it to one user. link: where it is mended. answer: the address to write back to."""

    item: Item
    kind: Kind
    about: str
    what: str
    advice: str
    link: str
    text: str = ""
    answer: str = ""


def tell_items(*, items: Sequence[Item], request: HttpRequest, now: datetime) -> list[ItemWords]:
    """The items in their order, without those whose cause went in this moment. At most one query for each kind."""
    orders = {order.pk: order for order in Order.objects.filter(pk__in=[item.order_id for item in items])}
    told: dict[tuple[str, str], tuple[str, str]] = {}
    for kind, tell in _TELL.items():
        own = [item for item in items if item.kind == kind]
        if own:
            told |= {(kind, key): words for key, words in tell(own, now).items()}
    asked = _asked(items)
    return [
        _words(item, orders.get(item.order_id or 0), told[item.kind, item.key], asked.get(item.key), request)
        for item in items
        if (item.kind, item.key) in told
    ]


def _words(
    item: Item, order: Order | None, told: tuple[str, str], asked: AskedAttention | None, request: HttpRequest
) -> ItemWords:
    kind = kind_named(item.kind)
    assert kind is not None
    is_asked = item.kind == "asked" and asked is not None
    what, advice = told
    name, address = (order.name, order.email) if order is not None else ("", "")
    about = f"{order.code} · {name_for(request.user, order.name)}" if order is not None else ""
    return ItemWords(
        item=item,
        kind=kind,
        about=about,
        what=text_for(request.user, what, name=name, address=address),
        advice=advice,
        link=_link(item, order, request),
        text=asked.text if is_asked and asked else "",
        answer=asked.email if is_asked and asked else "",
    )


def _link(item: Item, order: Order | None, request: HttpRequest) -> str:
    """The address of the page where this user mends it; empty where there is none for him."""
    if item.kind == "dead_jobs":
        task, cause = _task_and_cause(item)
        return f"{reverse('admin:jobs_deadjob_groups')}?{urlencode({'task': task, 'cause': cause})}"
    if item.kind == "schedules":
        return reverse("admin:django_celery_beat_periodictask_change", args=[item.key])
    if item.kind == "promises":
        return reverse("admin:jobs_queueload_changelist")
    if item.kind == "cancellations":
        show_id = Cancellation.objects.values_list("show_id", flat=True).get(pk=item.key)
        return reverse("admin:inventory_show_change", args=[show_id])
    if order is None or not request.user.has_perm("boxoffice.view_order"):
        return ""
    return reverse("admin:boxoffice_order_change", args=[order.pk])


_Told = dict[str, tuple[str, str]]


def _keys(items: Iterable[Item]) -> list[str]:
    return [item.key for item in items]


def _tickets(items: Sequence[Item], _now: datetime) -> _Told:
    failed = dict(
        Ticket.objects.filter(order_id__in=_keys(items))
        .values_list("order_id")
        .annotate(failed=Count("pk", filter=Q(status=Ticket.Status.FAILED)))
    )
    return {
        item.key: failed_tickets_in_words(count)
        if (count := failed.get(int(item.key), 0))
        else late_tickets_in_words(item.jobs)
        for item in items
    }


def _refunds(items: Sequence[Item], now: datetime) -> _Told:
    found = list(Refund.objects.filter(pk__in=_keys(items)).select_related("payment__write_off"))
    kept = kept_by_bank(found)
    owed = {str(each.pk): what_is_owed(each, now=now, kept_by_bank=kept.get(each.pk, "")) for each in found}
    return {key: (each.what, each.advice) for key, each in owed.items() if each is not None}


def _payments(items: Sequence[Item], _now: datetime) -> _Told:
    wrong = {str(each.pk): what_is_wrong(each) for each in Payment.objects.filter(pk__in=_keys(items))}
    return {key: words for key, words in wrong.items() if words is not None}


def _disputes(items: Sequence[Item], _now: datetime) -> _Told:
    back = Sum("payment__refunds__amount", filter=Q(payment__refunds__status=Refund.Status.SUCCEEDED), default=0)
    disputes = Dispute.objects.filter(pk__in=_keys(items)).annotate(back=back, paid=F("payment__amount"))
    found = {str(each.pk): what_is_disputed(each, is_given_back=each.paid <= each.back) for each in disputes}
    return {key: (each.what, each.advice) for key, each in found.items() if each is not None}


def _mails(items: Sequence[Item], _now: datetime) -> _Told:
    lost = list(Notification.objects.filter(pk__in=_keys(items)))
    about = {mail.subject for mail in lost}
    told = defaultdict(list)
    for mail in Notification.objects.filter(kind=show_cancelled.KIND, subject__in=about):
        told[mail.subject].append(mail)
    words = {}
    for mail in lost:
        news = last_news(told[mail.subject])
        missed = news is not None and was_missed(news)
        words[str(mail.pk)] = missed_news_in_words(news) if news and missed else lost_mail_in_words(mail)
    return words


def _asked(items: Sequence[Item]) -> dict[str, AskedAttention]:
    keys = [item.key for item in items if item.kind == "asked"]
    return {str(each.pk): each for each in AskedAttention.objects.filter(pk__in=keys)} if keys else {}


def _messages(items: Sequence[Item], _now: datetime) -> _Told:
    advice = _("Answer, then settle it with what you did.")
    return {key: (_words_of_message(each), advice) for key, each in _asked(items).items()}


def _words_of_message(asked: AskedAttention) -> str:
    if not asked.name and not asked.email:
        return asked.title
    who = " ".join(filter(None, [asked.name, f"<{asked.email}>" if asked.email else ""]))
    return _("%(title)s, from %(who)s") % {"title": asked.title, "who": who}


def _dead_jobs(items: Sequence[Item], _now: datetime) -> _Told:
    counts = count_by_cause([_task_and_cause(item) for item in items])
    told: _Told = {}
    for item in items:
        task, cause = _task_and_cause(item)
        what, advice = dead_job_in_words(task=task, reason=cause, error=cause if ":" in cause else "")
        number = counts.get((task, cause), 0)
        count = ngettext("%(n)d job", "%(n)d jobs", number) % {"n": number}
        told[item.key] = (f"{count}: {what}", advice)
    return told


def _task_and_cause(item: Item) -> tuple[str, str]:
    task, _space, cause = item.key.partition(" ")
    return task, cause


def _schedules(items: Sequence[Item], _now: datetime) -> _Told:
    names: dict[Any, Any] = dict(PeriodicTask.objects.filter(pk__in=_keys(items)).values_list("pk", "name"))
    what = _("“%(name)s” has been due for too long, and nobody has enqueued it.")
    advice = _("Check that a beat is running, and look at the schedule. Nothing that must be correct waits for it.")
    return {str(key): (what % {"name": name}, advice) for key, name in names.items()}


def _promises(items: Sequence[Item], _now: datetime) -> _Told:
    promises = {queue.name: span_in_words(queue.promise_seconds) for queue in all_queues()}
    what = _("Queue %(queue)s is late: more than the %(promise)s that were promised.")
    advice = _("See there whether it has workers, and what holds them up.")
    told = {key: promises.get(key, "") for key in _keys(items)}
    return {key: (what % {"queue": key, "promise": promise}, advice) for key, promise in told.items()}


def _cancellations(items: Sequence[Item], _now: datetime) -> _Told:
    titles = dict(Cancellation.objects.filter(pk__in=_keys(items)).values_list("pk", "show__title"))
    what = _("The refunds of “%(show)s” wait: the balance at the payment provider is too low.")
    advice = _(
        "Top it up there. They go on by themselves within a quarter of an hour, or at once when you resume them."
    )
    return {str(key): (what % {"show": title}, advice) for key, title in titles.items()}


_TELL: dict[str, Callable[[Sequence[Item], datetime], _Told]] = {
    "tickets": _tickets,
    "refunds": _refunds,
    "cancellations": _cancellations,
    "payments": _payments,
    "disputes": _disputes,
    "asked": _messages,
    "mails": _mails,
    "dead_jobs": _dead_jobs,
    "schedules": _schedules,
    "promises": _promises,
}
