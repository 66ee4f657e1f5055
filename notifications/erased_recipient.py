"""What stands in the place of a recipient whose address was erased: a fingerprint of it, so that he is told once still.

Guarantee: the row does not say any more whom it was sent to, and who was told is not told the same again, though his
address comes back. Only the installation's secret makes the fingerprint, of the address with what the message was
about: it tells that a given address was told of this, and nothing of where else the same one was. With another secret
it tells nothing any more.
"""

from __future__ import annotations

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

ERASED = "erased:"
"""How the recipient of such a row begins. No address does: a colon before the ``@`` is none."""

ADDRESS_ERASED = gettext_noop("its address was erased")
"""Why it is not sent. Staff read it, in their own language."""

# Of a row that the statement calls ``told``, with subject and recipient.
FINGERPRINT = """
    'erased:' || encode(sha256(convert_to(%(erasing_secret)s || ' ' || told.subject || ' ' || told.recipient, 'UTF8')),
                        'hex')
"""


def erasing_secret() -> str:
    """The value that FINGERPRINT wants."""
    return salted_hmac("notifications.erased_recipient", "key", algorithm="sha256").hexdigest()


def is_erased(*, recipient: str) -> bool:
    """Whether this recipient's address was erased."""
    return recipient.startswith(ERASED)
