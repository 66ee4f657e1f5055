"""The mail to somebody who asked to be told: the sale of a show has opened, and here is the way to its seats."""

from __future__ import annotations

from django.conf import settings
from django.db.models import BooleanField, ExpressionWrapper
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from boxoffice.errors import NothingToSay
from boxoffice.messages.base import Draft
from boxoffice.messages.shared_context import about_show
from boxoffice.messages.show_times import day_of
from boxoffice.models import SaleAlert
from boxoffice.own_direction import isolated
from inventory.conditions import show_sells
from inventory.models import Show
from inventory.models.show import show_id_of

KIND = "sale_opened"
URGENT = False

# Why a mail that was planned is not sent. Staff read it, in their own language.
TAKEN_BACK = gettext_noop("the address was taken out")
CANCELLED = gettext_noop("the show is cancelled")
POSTPONED = gettext_noop("the show is postponed")
NOT_ON_SALE = gettext_noop("the show is not on sale")


def draft(*, subject: str, recipient: str) -> Draft:
    """The mail to this address as things stand now. Two queries, outside any transaction.

    Raises NothingToSay when the alert was taken back, or when the show does not sell any more.
    """
    show_id = show_id_of(subject=subject)
    alert = SaleAlert.objects.filter(show_id=show_id, email=recipient).first()
    if alert is None:
        raise NothingToSay(TAKEN_BACK)
    sells = ExpressionWrapper(show_sells(), output_field=BooleanField())
    show = Show.objects.select_related("venue").annotate(sells=sells).get(pk=show_id)
    if not show.sells:
        raise NothingToSay(_why_silent(show))
    return worded(show=show, alert_token=alert.token)


def worded(*, show: Show, alert_token: str) -> Draft:
    """What the mail says of this show. alert_token: the secret of the page that erases the address. Pure."""
    about = about_show(show)
    return Draft(
        to_name="",
        subject=_("On sale now: %(show)s, %(day)s") % {"show": isolated(show.title), "day": day_of(show)},
        preheader=_("You asked us to tell you. %(starts)s, %(venue)s.") % {**about, "venue": isolated(show.venue.name)},
        template=KIND,
        context={
            **about,
            "show_url": f"{settings.PUBLIC_URL}{reverse('show', args=[show.slug])}",
            "alert_url": f"{settings.PUBLIC_URL}{reverse('sale_alert', args=[alert_token])}",
        },
    )


def _why_silent(show: Show) -> str:
    reasons = {Show.Status.CANCELLED.value: CANCELLED, Show.Status.POSTPONED.value: POSTPONED}
    return reasons.get(show.status, NOT_ON_SALE)
