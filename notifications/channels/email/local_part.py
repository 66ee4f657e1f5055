"""What stands before the @ of an address."""

from __future__ import annotations

import re
import unicodedata

from django.conf import settings

from notifications.channels.email.encoded_words import BEGINNING

# What it may hold without quotes (RFC 5322), and letters and digits beyond ASCII (RFC 6531).
_LOCAL_PART = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*")
LONGEST = 64  # octets, RFC 5321


def is_local_part(text: str) -> bool:
    """Whether it can stand there. Marks count with the letter that they stand on: Hindi and Thai are full of them.

    What looks like an encoded word cannot, though it may by the letter of RFC 5322: see ``encoded_words``.
    """
    if BEGINNING in text:
        return False
    letters = "".join(character for character in text if unicodedata.category(character)[0] != "M")
    return len(text.encode("utf-8", "replace")) <= LONGEST and bool(_LOCAL_PART.fullmatch(letters))


def provider_takes_any_script() -> bool:
    """Whether letters beyond ASCII may stand there: by SMTP, where the server knows SMTPUTF8. Resend refuses them."""
    return bool(settings.MAIL_PROVIDER == "smtp")
