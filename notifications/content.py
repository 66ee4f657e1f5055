"""What an e-mail says, ready to be sent by any provider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Attachment:
    """A file that goes with an e-mail. content_type: such as ``application/pdf``."""

    name: str
    content_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True)
class EmailContent:
    """An e-mail to one address, as text and as HTML. Nothing here may hold a line break but text and HTML."""

    to_address: str
    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    to_name: str = ""
    attachments: Sequence[Attachment] = ()
