"""A mail, taken apart for people and for tests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage, MIMEPart
from email.parser import BytesHeaderParser
from email.policy import default
from functools import cached_property

_LINK = re.compile(r"https?://[^\s<>\"')\]]+")


@dataclass(frozen=True)
class Summary:
    """One line of the mailbox. recipients: the envelope's, in lower case."""

    id: str
    received_at: datetime
    message_id: str
    sender: str
    to: str
    recipients: tuple[str, ...]
    subject: str


@dataclass(frozen=True)
class Part:
    """An attachment. number: its place among the attachments, which its address ends with."""

    number: int
    name: str
    content_type: str
    content: bytes

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.content)


def read_summary(id: str, received_at: datetime, head: bytes) -> Summary:
    """What the headers at the beginning of ``head`` say. Wrong ones are shown as they are."""
    headers = BytesHeaderParser(policy=default).parsebytes(head)
    return Summary(
        id=id,
        received_at=received_at,
        message_id=str(headers.get("Message-ID", "")).strip(),
        sender=str(headers.get("From", "")),
        to=str(headers.get("To", "")),
        recipients=tuple(str(value).strip().lower() for value in headers.get_all("Delivered-To", [])),
        subject=str(headers.get("Subject", "")),
    )


@dataclass(frozen=True)
class StoredMessage:
    """A whole mail. Parsed when it is asked for."""

    message_id: str
    received_at: datetime
    raw: bytes

    @cached_property
    def summary(self) -> Summary:
        """Its line in the mailbox."""
        return read_summary(self.message_id, self.received_at, self.raw)

    @cached_property
    def headers(self) -> list[tuple[str, str]]:
        """All headers in their order, decoded."""
        return [(name, str(value)) for name, value in self._parsed.items()]

    @cached_property
    def text(self) -> str:
        """The text for people without HTML; empty when there is none."""
        return self._body("plain")

    @cached_property
    def html(self) -> str:
        """The HTML, not to be trusted; empty when there is none."""
        return self._body("html")

    @cached_property
    def links(self) -> list[str]:
        """Addresses in the text, each once, in their order."""
        return list(dict.fromkeys(link.rstrip(".,;:!?") for link in _LINK.findall(self.text or self.html)))

    @cached_property
    def attachments(self) -> list[Part]:
        """Its attachments in their order."""
        return [
            Part(number, part.get_filename() or f"part-{number}", part.get_content_type(), _bytes_of(part))
            for number, part in enumerate(self._parsed.iter_attachments())
            if isinstance(part, MIMEPart)
        ]

    @cached_property
    def _parsed(self) -> EmailMessage:
        return message_from_bytes(self.raw, _class=EmailMessage, policy=default)

    def _body(self, subtype: str) -> str:
        part = self._parsed.get_body(preferencelist=(subtype,))
        return _bytes_of(part).decode(part.get_content_charset("utf-8"), "replace") if part else ""


def _bytes_of(part: MIMEPart) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else part.as_bytes()
