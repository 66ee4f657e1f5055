"""Orders that a human must look at, as a filter of their list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.db.models import Exists, Func, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from boxoffice.models import Order, Payment, Refund
from boxoffice.support.story.timeline import BAD_MAIL
from jobs.models import Job
from notifications.models import Notification
from notifications.told_again import MARK
from tickets.models import Ticket


class AttentionFilter(admin.SimpleListFilter):
    """Orders that a human must look at."""

    title = _("attention")
    parameter_name = "attention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("needed", _("Needs a human"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Order]) -> QuerySet[Order]:
        if self.value() != "needed":
            return queryset
        subject = Concat(Value("order:"), OuterRef("code"))
        return queryset.filter(
            Exists(Job.objects.filter(subject=subject, state=Job.State.DEAD))
            | Exists(Ticket.objects.filter(order_id=OuterRef("pk"), status=Ticket.Status.FAILED))
            | Exists(_refunds_that_wait_for_somebody())
            | Exists(_mails_that_did_not_arrive(subject))
            | Exists(_payments_with_a_problem())
        )


def _refunds_that_wait_for_somebody() -> QuerySet[Refund]:
    """Of the order outside: failed ones that nobody has tried again, and money to be paid out by hand."""
    failed = Q(status=Refund.Status.FAILED, replaced_by__isnull=True)
    by_hand = Q(status=Refund.Status.PLANNED) & ~Q(payment__method=Payment.Method.ONLINE)
    return Refund.objects.filter(failed | by_hand, payment__order=OuterRef("pk"))


def _mails_that_did_not_arrive(subject: Concat) -> QuerySet[Notification]:
    """About this subject: unless the same was told again since, which is looked at instead."""
    mails = Notification.objects.filter(channel=Notification.Channel.EMAIL).annotate(first=_FIRST_OCCURRENCE)
    again = mails.filter(
        subject=OuterRef("subject"), kind=OuterRef("kind"), first=OuterRef("first"), pk__gt=OuterRef("pk")
    )
    return mails.filter(~Exists(again), subject=subject, status__in=BAD_MAIL)


# As ``notifications.told_again.first_of`` reads it.
_FIRST_OCCURRENCE = Func("occurrence", Value(MARK), Value(1), function="split_part", output_field=models.CharField())


def _payments_with_a_problem() -> QuerySet[Payment]:
    """Of the order outside: money that must not count, or a refusal after which nobody has tried again."""
    later = Payment.objects.filter(order_id=OuterRef("order_id"), pk__gt=OuterRef("pk"))
    alone = ~Exists(later) | ~Q(provider_id="")
    return Payment.objects.filter(alone, order_id=OuterRef("pk")).exclude(problem="")
