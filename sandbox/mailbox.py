"""The mails that the sandbox took, one file each in a Maildir.

A mail appears whole or not at all: it is written under ``tmp`` and renamed into ``new``. An id is the name of the file,
and only what looks like an id is ever made into a path.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from sandbox.stored_message import StoredMessage, Summary, read_summary

# Milliseconds since 1970, then letters against two in one millisecond. Sorts by time.
_ID = re.compile(r"[0-9]{13}\.[0-9a-f]{12}")
HEADER_LIMIT = 256 * 1024  # bytes; nobody's headers are longer, and a broken mail may have no end of them


class NoSuchMessage(LookupError):
    """There is no mail with this id."""


class Mailbox:
    """A Maildir folder, made when it is missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("tmp", "new", "cur"):
            (folder / name).mkdir(parents=True, exist_ok=True)

    def store(self, *, content: bytes, sender: str, recipients: Sequence[str]) -> str:
        """Keep a mail, with its envelope in front as mail servers do, and return its id. It survives a crash."""
        message_id = f"{time.time_ns() // 1_000_000:013d}.{secrets.token_hex(6)}"
        envelope = [f"Return-Path: <{sender}>", *(f"Delivered-To: {recipient}" for recipient in recipients)]
        draft, final = self.folder / "tmp" / message_id, self.folder / "new" / message_id
        with draft.open("xb") as file:
            file.write("".join(f"{line}\r\n" for line in envelope).encode() + content)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(final)
        return message_id

    def ids(self) -> list[str]:
        """The ids of all mails, newest first."""
        names = (entry.name for entry in os.scandir(self.folder / "new"))
        return sorted((name for name in names if _ID.fullmatch(name)), reverse=True)

    def summaries(self, *, to: str = "") -> Iterator[Summary]:
        """What the headers say, newest first; with ``to``, of the mails to that address only."""
        wanted = to.strip().lower()
        for message_id in self.ids():
            summary = _summary(self._path(message_id), message_id)
            if not wanted or wanted in summary.recipients:
                yield summary

    def raw(self, message_id: str) -> bytes:
        """The file as it is. Raises NoSuchMessage."""
        try:
            return self._path(message_id).read_bytes()
        except FileNotFoundError as error:
            raise NoSuchMessage from error

    def message(self, message_id: str) -> StoredMessage:
        """The mail, parsed. Raises NoSuchMessage."""
        raw = self.raw(message_id)  # first: it looks whether the id is one
        return StoredMessage(message_id=message_id, received_at=received_at(message_id), raw=raw)

    def _path(self, message_id: str) -> Path:
        if not _ID.fullmatch(message_id):
            raise NoSuchMessage
        return self.folder / "new" / message_id


def received_at(message_id: str) -> datetime:
    """When the mail was taken, to the millisecond."""
    return datetime.fromtimestamp(int(message_id.partition(".")[0]) / 1000, UTC)


@lru_cache(maxsize=20_000)  # a mail never changes, and its headers are small
def _summary(path: Path, message_id: str) -> Summary:
    with path.open("rb") as file:
        return read_summary(message_id, received_at(message_id), file.read(HEADER_LIMIT))
