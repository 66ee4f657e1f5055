"""Whether a fan was told that his show is cancelled, which makes all that he was told before void. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.translation import gettext as _

from boxoffice.messages import show_cancelled
from boxoffice.support.story.plain_words import address_in_words
from notifications.models import Notification

Status = Notification.Status

_MISSED = (Status.FAILED, Status.BOUNCED, Status.SUPPRESSED)


def last_news(mails: Iterable[Notification]) -> Notification | None:
    """The newest mail that says that the show is cancelled; None where none was planned. mails: of one order."""
    told = [mail for mail in mails if mail.kind == show_cancelled.KIND and mail.channel == Notification.Channel.EMAIL]
    return max(told, key=lambda mail: mail.pk, default=None)


def was_missed(news: Notification) -> bool:
    """Whether it did not arrive, or was not sent at all: to an address that returned an earlier mail, say."""
    return news.status in _MISSED and news.last_error != show_cancelled.NOT_CANCELLED


def missed_news_in_words(news: Notification) -> tuple[str, str]:
    """What is wrong where a fan was not told that the show is cancelled, and what to do."""
    return (
        _("%(address)s was not told that the show is cancelled.") % {"address": address_in_words(news.recipient)},
        _(
            "Ask the fan for the right address and correct it: the mail that the show is cancelled then goes there. "
            "The tickets are void, and the money goes back all the same."
        ),
    )
