"""The address in a bulk mail that ends mails of its kind: it names the mail, signed, and nobody's address.

It does not expire: a mail may be read years later. Whoever has it, because the mail was passed on, may end these mails
and nothing else.
"""

from __future__ import annotations

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse

from boxoffice.messages import CAN_BE_ENDED
from notifications.models import Notification

SALT = "boxoffice.unsubscribe"


def unsubscribe_address(*, notification_id: int) -> str:
    """The absolute address that stands in this mail."""
    return f"{settings.PUBLIC_URL}{reverse('unsubscribe', args=[unsubscribe_token(notification_id=notification_id)])}"


def unsubscribe_token(*, notification_id: int) -> str:
    """The number of the mail, and the proof that we wrote it."""
    return _signer().sign(str(notification_id))


def mail_of_token(*, token: str) -> Notification | None:
    """The bulk mail that this token stands in; None for a token that is not ours. One query."""
    try:
        number = _signer().unsign(token)
    except BadSignature:
        return None
    return Notification.objects.filter(pk=int(number), kind__in=CAN_BE_ENDED).first()


def _signer() -> Signer:
    return Signer(salt=SALT)
