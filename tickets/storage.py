"""Where ticket files lie: a private storage, under names that nobody can guess and that a repeated job finds again.

A name belongs to the tickets that are in the file and to its edition. Other tickets, or something else printed on them,
make another file; nothing is ever changed in one.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Sequence

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, Storage, default_storage
from django.utils.crypto import salted_hmac

from tickets.errors import StorageKeepsOldFiles
from tickets.models import TicketDocument


class ReplacingFileStorage(FileSystemStorage):
    """Files on disk that are replaced whole: a reader sees the old one or the new one, never half of one."""

    def __init__(self, **options: object) -> None:
        super().__init__(**{"allow_overwrite": True, **options})  # type: ignore[arg-type]

    def _save(self, name: str, content: File) -> str:
        draft = super()._save(f"{name}.{secrets.token_hex(8)}.part", content)  # type: ignore[misc]
        os.replace(self.path(draft), self.path(name))
        return name


def document_name(*, order_id: int, ticket_ids: Sequence[int], edition: int = 0) -> str:
    """The name of the file with these tickets of the order: the same each time, and a secret without the site's key."""
    told = ",".join(map(str, [order_id, *sorted(ticket_ids)])) + (f"/{edition}" if edition else "")
    secret = salted_hmac("tickets.document", told, algorithm="sha256").hexdigest()[:32]
    return f"tickets/{order_id}/{secret}.pdf"


def store_document(*, order_id: int, ticket_ids: Sequence[int], content: bytes, edition: int = 0) -> str:
    """Write the file with these tickets, over an older one if there is one, and return its name.

    Raises StorageKeepsOldFiles when the storage is not set to overwrite.
    """
    name = document_name(order_id=order_id, ticket_ids=ticket_ids, edition=edition)
    stored = ticket_storage().save(name, ContentFile(content))
    if stored != name:
        ticket_storage().delete(stored)
        raise StorageKeepsOldFiles
    return stored


def open_document(*, document: TicketDocument) -> File:
    """The stored file, open for reading. The caller closes it. Raises FileNotFoundError when it is gone."""
    return ticket_storage().open(document.storage_name)


class DocumentDamaged(FileNotFoundError):
    """What lies there is no whole file: it is no better than gone."""


class StorageFailed(Exception):
    """The storage does not answer, or refuses. Its own exception, the cause, says which; jobs see that one alone."""


def read_document(*, document: TicketDocument) -> bytes:
    """The stored file, for somebody who waits for it. Raises FileNotFoundError when it is gone or damaged, else
    StorageFailed.
    """
    try:
        return read_whole(document=document)
    except FileNotFoundError:
        raise
    except Exception as error:  # each storage has exceptions of its own
        raise StorageFailed from error


def read_whole(*, document: TicketDocument) -> bytes:
    """The stored file. Raises DocumentDamaged, FileNotFoundError, and what the storage raises.

    A job that runs twice may leave another file with the same tickets than the one that was written down; that is good
    as long as it is whole.
    """
    with open_document(document=document) as file:
        content = bytes(file.read())
    differs = document.sha256 and hashlib.sha256(content).hexdigest() != document.sha256
    if differs and not _is_whole(content):
        raise DocumentDamaged(f"{document.storage_name} is no whole file.")
    return content


def _is_whole(content: bytes) -> bool:
    """Whether it begins and ends as a PDF does."""
    return content.startswith(b"%PDF-") and b"%%EOF" in content[-1024:]


def ticket_storage() -> Storage:
    """The storage of ticket files."""
    return default_storage
