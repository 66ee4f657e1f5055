"""A fan writes to the box office: what he writes becomes an item of what needs a human.

Guarantee: a code that he types finds nothing out. It leads staff to the order only where the address is the order's
own as well, and he is answered the same in either case.
"""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from boxoffice.ask_to_be_told import mailbox_of
from boxoffice.attention.ask_for_attention import ask_for_attention
from boxoffice.contact import clean_email
from boxoffice.errors import InvalidContact
from boxoffice.models import Order
from boxoffice.models.attention import LONGEST_TEXT
from boxoffice.self_help.errors import WroteOften

MOST_A_DAY = 5
"""Messages of one mailbox, and about one order: as many as somebody reads before he answers."""

WITHIN = timedelta(days=1)

LONGEST_CODE = 40
"""Characters: an order's code with signs between, or what somebody takes for it."""

_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# Those of a mailbox, or from an order's page, wait for each other, so that they do not pass the bound together.
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('written by ' || coalesce(%(mailbox)s, %(order)s::text), 0))"

# How many others this mailbox wrote of late, and were written about the order; no mailbox counts for who has the
# order's page, since anybody can write in its name. By asked_attention_by_mailbox and the index of the order.
WRITTEN = """
    SELECT count(*) FROM boxoffice_askedattention
     WHERE number <> %(number)s AND asked_at > jobs_now() - %(within)s
       AND (regexp_replace(lower(email), '\\+[^@]*@', '@') = %(mailbox)s OR order_id = %(order)s)
"""


def write_to_us(
    *, text: str, email: str, number: UUID, language: str, code: str = "", order: Order | None = None
) -> bool:
    """Add what was typed; False where this ``number``, which the page drew, has added it before. One transaction.

    order: the one whose page the writer has, which proves more than ``code``: a code as it was typed.
    language: to answer in.

    Raises InvalidContact (fields ``text``, ``email``, ``code``) and WroteOften.
    """
    cleaned, address = _cleaned(text=text, email=email, code=code)
    mailbox = mailbox_of(address=address.lower()) if order is None else None
    typed = "".join(character for character in code.upper() if character.isascii() and character.isalnum())
    with transaction.atomic():
        if order is None:
            # By the unique code. An empty one is looked up as well, so that all take the same statements.
            order = Order.objects.filter(code=typed, email__iexact=address).first()
        _require_few(mailbox=mailbox, number=number, order=order)
        return ask_for_attention(
            title=_title(order=order, code=typed),
            text=cleaned,
            number=number,
            order=order,
            email=address,
            language=language,
        )


def printable(text: str) -> str:
    """Without controls and marks that change the direction of what stands around it; its lines stay."""
    lines = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    kept = (c for c in lines if c in "\n\t" or (c not in _MARKS and unicodedata.category(c) not in ("Cc", "Cs")))
    return "".join(kept).strip()


def _cleaned(*, text: str, email: str, code: str) -> tuple[str, str]:
    wrong: dict[str, str] = {}
    address, words = "", printable(text)
    if not words:
        wrong["text"] = _("Write what it is about.")
    elif len(words) > LONGEST_TEXT:
        wrong["text"] = _("Your message is too long. Shorten it to %(most)d characters.") % {"most": LONGEST_TEXT}
    try:
        if not email.strip():
            raise InvalidContact({"email": _("Enter the e-mail address that we should answer to.")})
        address = clean_email(email)
    except InvalidContact as error:
        wrong.update(error.fields)
    if len(code) > LONGEST_CODE:
        wrong["code"] = _("This is no order code. It has eight letters and digits; leave it empty if you have none.")
    if wrong:
        raise InvalidContact(wrong)
    return words, address


def _require_few(*, mailbox: str | None, number: UUID, order: Order | None) -> None:
    values: dict[str, Any] = {
        "mailbox": mailbox,
        "number": number,
        "within": WITHIN,
        "order": order.pk if order is not None else None,
    }
    with connection.cursor() as cursor:
        cursor.execute(LOCK, values)
        cursor.execute(WRITTEN, values)
        (written,) = cursor.fetchone()
    if written >= MOST_A_DAY:
        raise WroteOften


def _title(*, order: Order | None, code: str) -> str:
    """In the language of the house, since it is kept: staff read it."""
    with translation.override(settings.LANGUAGE_CODE):
        if order is not None:
            return _("Message from a fan about order %(code)s") % {"code": order.code}
        if code:
            return _("Message from a fan who names order %(code)s, with another address than that order has") % {
                "code": code
            }
        return _("Message from a fan")
