"""Asking for the links to one's orders.

Guarantee: the answer, its statements and its time are the same whether the address has orders or none, and whether
somebody has asked for it before: whether there is anything to mail is looked up by a job.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext as _

from boxoffice.contact import clean_email
from boxoffice.errors import InvalidContact
from jobs.enqueue import enqueue

TASK = "boxoffice.tell_my_orders"

# By asked_orders_once. Who asks again within the ten minutes joins the row, as one who asks first makes it.
ASK = """
    INSERT INTO boxoffice_askedorders (email, language, ten_minutes)
    VALUES (%(email)s, %(language)s, floor(extract(epoch FROM jobs_now()) / 600))
    ON CONFLICT (email, ten_minutes) DO UPDATE SET language = excluded.language
    RETURNING id
"""


def ask_for_orders(*, email: str, language: str) -> None:
    """Note that the orders of this address, as it was typed, are to be mailed to it. Two statements in one transaction.

    language: a code from LANGUAGES; another one falls back to the default. Raises InvalidContact (field ``email``).
    """
    if not email.strip():
        raise InvalidContact({"email": _("Enter the e-mail address that you bought with.")})
    values = {
        "email": clean_email(email).lower(),  # to servers capitals are no other mailbox
        "language": language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE,
    }
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(ASK, values)
            (asked_id,) = cursor.fetchone()
        enqueue(task=TASK, args={"asked_id": asked_id}, unique_key=f"{TASK} {asked_id}")
