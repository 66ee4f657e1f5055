"""What a message says, ready to be sent by any provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True)
class Attachment:
    """A file that goes with an e-mail. content_type: such as ``application/pdf``, without parameters."""

    name: str
    content_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class EmailContent:
    """An e-mail to one address, as text and as HTML. Nothing here may hold a line break but text and HTML.

    link_instead: where the attachments can be had as well. When they are larger than a mail may be, they are left out,
    and the mail begins with this link; empty when nothing may be left out.
    headers: further headers, such as ``List-Unsubscribe``.
    """

    to_address: str
    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    to_name: str = ""
    attachments: Sequence[Attachment] = ()
    link_instead: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class Urgency(StrEnum):
    """How soon a device should show a message, against its battery (RFC 8030, section 5.3)."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


@dataclass(frozen=True)
class PushContent:
    """A push message to one browser.

    url: absolute, opened when it is pressed. ttl_seconds: how long the push service keeps it for a browser that is not
    on line; after that it is not worth telling any more.
    """

    title: str
    body: str = field(repr=False)
    url: str = field(repr=False)
    ttl_seconds: int = 86_400
    urgency: Urgency = Urgency.NORMAL
