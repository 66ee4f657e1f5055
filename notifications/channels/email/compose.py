"""Building an e-mail that every mail client reads as it was meant.

Guarantee: no text from outside becomes a header of its own. A line break in any field is refused before a message
exists.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from django.conf import settings

from notifications.channels.email.encoded_words import BEGINNING, without_encoded_words
from notifications.channels.email.headers import header_registry
from notifications.channels.email.local_part import is_local_part
from notifications.content import EmailContent
from notifications.errors import BadAddress, HeaderInjection

# Seven-bit bodies, whatever the server can do: the message need not be built anew for each server.
POLICY = SMTP.clone(cte_type="7bit", header_factory=header_registry())

_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\x85\u2028\u2029]")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.IGNORECASE)
# Letters that IDNA of 2003, which Python speaks, takes for others or for nothing: straße.de would become strasse.de and
# may be somebody else's. IDNA of 2008, which registries and browsers follow, keeps them.
KEPT_SINCE_2008 = frozenset("ß\u1e9eς\u200c\u200d")
LONGEST_DOMAIN = 255  # octets, RFC 5321


def compose(*, content: EmailContent, message_id: str) -> EmailMessage:
    """The message, complete: addressed, dated, with text, HTML and attachments.

    message_id: with its angle brackets; the same for each attempt.
    Raises HeaderInjection for a line break in a header and BadAddress for an address that is none.
    """
    refuse_breaks(content)
    content = without_encoded_words(content)
    message = EmailMessage(policy=POLICY)
    sender_name, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    message["From"] = mailbox(name=sender_name, address=sender)
    message["To"] = mailbox(name=content.to_name, address=content.to_address)
    message["Subject"] = content.subject
    message["Date"] = format_datetime(datetime.now(UTC))
    for name, value in headers_of(content=content, message_id=message_id).items():
        message[name] = value
    message.set_content(content.text)
    message.add_alternative(content.html, subtype="html")
    for attachment in content.attachments:
        main_type, _, subtype = attachment.content_type.partition("/")
        message.add_attachment(attachment.content, maintype=main_type, subtype=subtype, filename=attachment.name)
    return message


def headers_of(*, content: EmailContent, message_id: str) -> dict[str, str]:
    """The headers of a message beside those that say from whom, to whom and about what."""
    # No out-of-office reply answers a machine (RFC 3834).
    return {"Message-ID": message_id, "Auto-Submitted": "auto-generated", **content.headers}


def mailbox(*, name: str, address: str) -> Address:
    """A name and an address as a header wants them; the domain in its ASCII form. Raises BadAddress."""
    local_part, at, domain = address.strip().rpartition("@")
    if not at or not is_local_part(local_part):
        raise BadAddress
    return Address(display_name=name, username=local_part, domain=_ascii_domain(domain))


def _ascii_domain(domain: str) -> str:
    try:
        ascii_domain = ".".join(_ascii_label(label) for label in domain.split("."))
    except UnicodeError as error:
        raise BadAddress from error
    labels = ascii_domain.split(".")
    if len(ascii_domain) > LONGEST_DOMAIN or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadAddress
    return ascii_domain


def _ascii_label(label: str) -> str:
    if KEPT_SINCE_2008.isdisjoint(label):
        return label.encode("idna").decode("ascii").lower()
    # Capital sharp s has ß as its small letter.
    letters = unicodedata.normalize("NFC", label.lower())
    return "xn--" + letters.encode("punycode").decode("ascii")


def refuse_breaks(content: EmailContent) -> None:
    """Raise HeaderInjection where a field that becomes a header or a part of one holds a line break, plain or encoded.

    A name and a subject may look like encoded words: ``without_encoded_words`` makes them text.
    """
    fields = [content.to_name, content.to_address, content.subject, content.link_instead]
    fields += [*content.headers.keys(), *content.headers.values()]
    for attachment in content.attachments:
        fields += [attachment.name, attachment.content_type]
    if any(_BREAKS.search(field) for field in fields) or any(BEGINNING in field for field in fields[4:]):
        raise HeaderInjection
