"""Asking to be told when the sale of a show opens.

Guarantee: who asked before the opening is told of it, or his address was not taken; nobody learns whether an address
is known already.
"""

from __future__ import annotations

import re

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext as _

from boxoffice.contact import clean_email
from boxoffice.errors import BoxOfficeError, InvalidContact, NothingToWaitFor, TooManyAlerts, TooManyOpenings
from boxoffice.models import SaleAlert
from boxoffice.order_code import draw_token
from inventory.conditions import opens_later
from inventory.models import Show

MOST_PER_SHOW = 20_000
"""More than any house has seats, and few enough to be told within minutes: what a script can store is bounded."""

MOST_PER_MAILBOX = 20
"""As many openings as somebody may look forward to at once, and as many mails as anybody can have sent to him."""

# Who asks holds the show's alerts together with all who ask, who tells them holds them alone: he waits for those who
# asked before, and who comes later finds the sale open.
# Those of one mailbox wait for each other, so that they do not pass its bound together.
LOCK_TO_ASK = """
    SELECT pg_advisory_xact_lock_shared(hashtextextended('sale_alerts ' || %(show_id)s, 0)),
           pg_advisory_xact_lock(hashtextextended('sale_alerts of ' || %(mailbox)s, 0))
"""
LOCK_TO_TELL = "SELECT pg_advisory_xact_lock(hashtextextended('sale_alerts ' || %(show_id)s, 0))"

# Who asks again is the same row, asked anew: he may have been told of an opening that was moved since. The bounds come
# first, so that a known address and a new one are answered alike. By primary key, sale_alert_once and
# sale_alert_by_mailbox.
ASK = """
    INSERT INTO boxoffice_salealert (show_id, email, language, token)
    SELECT id, %(email)s, %(language)s, %(token)s FROM inventory_show
     WHERE id = %(show_id)s AND status = 'scheduled' AND on_sale_at > jobs_now()
       AND %(most)s > (SELECT count(*) FROM (SELECT FROM boxoffice_salealert
                                              WHERE show_id = %(show_id)s LIMIT %(most)s) AS asked)
       AND %(most_of_mailbox)s > (SELECT count(*) FROM boxoffice_salealert
                                   WHERE regexp_replace(email, '\\+[^@]*@', '@') = %(mailbox)s)
    ON CONFLICT (show_id, email) DO UPDATE SET language = excluded.language, created_at = jobs_now()
"""


def ask_to_be_told(*, show_id: int, email: str, language: str) -> None:
    """Note that this address is to be told when the show's sale opens, once however often it asks.

    Who had ended mails of this kind gets none for asking, since anybody may type his address: he alone takes them up
    again, by the link in a mail that he got, and what he has asked for by then is told. Nothing here looks whether he
    has, so that the answer cannot tell.

    email: as it was typed. language: a code from LANGUAGES; another one falls back to the default. One transaction of
    two statements.

    Raises InvalidContact (field ``email``), NothingToWaitFor when no opening lies ahead, TooManyAlerts for a show that
    so many wait for, and TooManyOpenings for an address that waits for so many.
    """
    if not email.strip():
        raise InvalidContact({"email": _("Enter the e-mail address that we should write to.")})
    address = clean_email(email).lower()  # to servers capitals are no other mailbox, and it shall get one mail
    values: dict[str, int | str] = {
        "show_id": show_id,
        "email": address,
        "language": language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE,
        "token": draw_token(),
        "most": MOST_PER_SHOW,
        "mailbox": mailbox_of(address=address),
        "most_of_mailbox": MOST_PER_MAILBOX,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK_TO_ASK, values)
        cursor.execute(ASK, values)
        asked = cursor.rowcount == 1
    if not asked:
        raise _refusal(show_id=show_id)


def mailbox_of(*, address: str) -> str:
    """The address without what mail servers deliver to the same mailbox all the same: ``+`` and what follows it."""
    return re.sub(r"\+[^@]*@", "@", address, count=1)


def _refusal(*, show_id: int) -> type[BoxOfficeError]:
    if not Show.objects.filter(opens_later(), pk=show_id).exists():
        return NothingToWaitFor
    return TooManyAlerts if SaleAlert.objects.filter(show_id=show_id).count() >= MOST_PER_SHOW else TooManyOpenings
