"""Putting a mail into the mailbox, and saying what becomes of it."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any
from uuid import uuid4

from sandbox.esp.email_form import Email
from sandbox.mailbox import Mailbox

# A line of a header may have 998 characters (RFC 5322). Python's 78 turn a longer address without a space, such as
# that of List-Unsubscribe, into encoded words, which nobody decodes there.
WHOLE_LINES = SMTP.clone(max_line_length=998)

RECORD = "X-Sandbox-Email"
"""The header under which a mail keeps what its events tell, for the buttons on its page; base64 of JSON."""

# Such as those that Resend offers for trying out (delivered@resend.dev and so on). By the beginning of the address, so
# that any domain does, and so does bounced+anna@.
ARRIVES = ("delivered",)
FATES = {
    "bounce": ("bounced",),
    "softbounce": ("bounced softly",),
    "complain": ("delivered", "complained"),
    "suppressed": ("suppressed",),
    "silent": (),
}


def take_email(email: Email, mailbox: Mailbox) -> tuple[dict[str, Any], str]:
    """Keep the mail; return what its events tell of it, and the mailbox's id for it."""
    record = {
        "email_id": str(uuid4()),
        "created_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "from": str(email.sender),
        "to": [str(recipient) for recipient in email.recipients],
        "subject": email.subject,
        "tags": email.tags,
    }
    packed = base64.urlsafe_b64encode(json.dumps(record).encode()).decode()
    mail_id = mailbox.store(
        content=f"{RECORD}: {packed}\r\n".encode() + _mime(email).as_bytes(),
        sender=email.sender.addr_spec,
        recipients=[recipient.addr_spec for recipient in email.recipients],
    )
    return record, mail_id


def unpacked(value: str) -> dict[str, Any]:
    """What the header holds."""
    record: dict[str, Any] = json.loads(base64.urlsafe_b64decode("".join(value.split())))
    return record


def fate_of(record: dict[str, Any]) -> tuple[str, ...]:
    """What becomes of a mail by itself, by its first recipient."""
    address = record["to"][0].rpartition("<")[2].lower()
    for beginning, fate in FATES.items():
        if address.startswith(beginning):
            return fate
    return ARRIVES


def _mime(email: Email) -> EmailMessage:
    message = EmailMessage(policy=WHOLE_LINES)
    message["From"] = email.sender
    message["To"] = email.recipients
    message["Subject"] = email.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    for name, value in email.headers.items():
        message[name] = value
    message.set_content(email.text)
    if email.html:
        message.add_alternative(email.html, subtype="html")
    for file in email.files:
        main_type, _, subtype = file.content_type.partition(";")[0].partition("/")
        message.add_attachment(file.content, maintype=main_type, subtype=subtype, filename=file.name)
    return message
