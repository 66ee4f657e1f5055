"""A request to send, read strictly: what passes here passes at Resend.

A field that it does not know is refused, also one that Resend knows and BoxOffice does not use.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from email.headerregistry import Address
from email.utils import getaddresses
from typing import Any

from sandbox.esp.refusals import Refusal, invalid

FIELDS = frozenset({"from", "to", "cc", "bcc", "reply_to", "subject", "html", "text", "headers", "attachments", "tags"})
OF_AN_ATTACHMENT = frozenset({"content", "filename", "content_type", "content_id"})
MOST_RECIPIENTS = 50
_TAG = re.compile(r"[A-Za-z0-9_-]{1,256}")
_HEADER = re.compile(r"[!-9;-~]+")  # RFC 5322: printable ASCII without the colon
_BREAK = re.compile(r"[\r\n\x00]")
# No SMTPUTF8: the part before the @ is ASCII, and the domain has its ASCII form.
_ADDRESS = re.compile(r"[!#-'*+/-9=?A-Z^-~.-]+@[a-z0-9-]+(\.[a-z0-9-]+)+", re.IGNORECASE)
_FORMAT = "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format."


@dataclass(frozen=True)
class File:
    """An attachment."""

    name: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class Email:
    """What is to be sent."""

    sender: Address
    recipients: list[Address]
    subject: str
    text: str
    html: str
    headers: dict[str, str]
    files: list[File]
    tags: dict[str, str]


def read_email(body: Any) -> Email:
    """The mail that a request's JSON asks for. Raises Refusal."""
    if not isinstance(body, dict):
        raise invalid("The request body must be a JSON object.")
    if unknown := sorted(body.keys() - FIELDS):
        raise invalid(f"Unknown field `{unknown[0]}`. (The stand-in takes {', '.join(sorted(FIELDS))}.)")
    for name in ("from", "to", "subject"):
        if not body.get(name):
            raise Refusal(422, "missing_required_field", f"Missing `{name}` field.")
    if not body.get("html") and not body.get("text"):
        raise Refusal(422, "missing_required_field", "Missing `html` or `text` field.")
    for name in ("cc", "bcc", "reply_to"):
        _addresses(name, body.get(name) or [])
    return Email(
        sender=_address("from", _text("from", body["from"])),
        recipients=_addresses("to", body["to"]),
        subject=_line("subject", body["subject"]),
        text=_text("text", body.get("text") or ""),
        html=_text("html", body.get("html") or ""),
        headers=_headers(body.get("headers") or {}),
        files=[_file(each) for each in _list("attachments", body.get("attachments") or [])],
        tags=dict(_tag(each) for each in _list("tags", body.get("tags") or [])),
    )


def _addresses(name: str, given: Any) -> list[Address]:
    listed = [given] if isinstance(given, str) else _list(name, given)
    if len(listed) > MOST_RECIPIENTS:
        raise invalid(f"The `{name}` field must not have more than {MOST_RECIPIENTS} recipients.")
    return [_address(name, _text(name, each)) for each in listed]


def _address(name: str, text: str) -> Address:
    found = getaddresses([_line(name, text)])
    display, address = found[0] if len(found) == 1 else ("", "")
    if not _ADDRESS.fullmatch(address):
        raise invalid(f"Invalid `{name}` field. {_FORMAT}")
    return Address(display_name=display, addr_spec=address)


def _headers(given: Any) -> dict[str, str]:
    if not isinstance(given, dict):
        raise invalid("The `headers` field must be an object.")
    for name, value in given.items():
        if not _HEADER.fullmatch(name):
            raise invalid("The name of a header must be printable ASCII.")
        _line("headers", value)
    return given


def _file(given: Any) -> File:
    if not isinstance(given, dict) or given.keys() - OF_AN_ATTACHMENT or not given.get("content"):
        raise Refusal(422, "invalid_attachment", "Attachment must have either a `content` or `path`.")
    try:
        content = base64.b64decode(given["content"], validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise Refusal(422, "invalid_attachment", "The `content` of an attachment must be base64.") from error
    name = _line("filename", given.get("filename") or "")
    if not name:
        raise Refusal(422, "invalid_attachment", "Attachment must have a `filename`.")
    content_type = _line("content_type", given.get("content_type") or "application/octet-stream")
    return File(name, content_type, content)


def _tag(given: Any) -> tuple[str, str]:
    if not isinstance(given, dict) or given.keys() != {"name", "value"}:
        raise invalid("A tag has a `name` and a `value`.")
    pair = (_text("tags", given["name"]), _text("tags", given["value"]))
    if not all(_TAG.fullmatch(part) for part in pair):
        raise invalid("Tags should only contain ASCII letters, numbers, underscores, or dashes.")
    return pair


def _list(name: str, given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise invalid(f"The `{name}` field must be an array.")
    return given


def _line(name: str, given: Any) -> str:
    text = _text(name, given)
    if _BREAK.search(text):
        raise invalid(f"The `{name}` field must not contain line breaks.")
    return text


def _text(name: str, given: Any) -> str:
    if not isinstance(given, str):
        raise invalid(f"The `{name}` field must be a string.")
    return given
