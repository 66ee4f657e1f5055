"""Ticket files are private and replaced whole."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from django.core.files.base import ContentFile

from tickets.storage import ReplacingFileStorage


@pytest.fixture
def storage(tmp_path: Path) -> ReplacingFileStorage:
    return ReplacingFileStorage(location=tmp_path, file_permissions_mode=0o600, directory_permissions_mode=0o700)


def test_a_file_written_again_keeps_its_name_and_has_the_new_content(storage: ReplacingFileStorage) -> None:
    assert storage.save("tickets/1/a.pdf", ContentFile(b"old and longer")) == "tickets/1/a.pdf"
    assert storage.save("tickets/1/a.pdf", ContentFile(b"new")) == "tickets/1/a.pdf"
    assert Path(storage.path("tickets/1/a.pdf")).read_bytes() == b"new"
    assert storage.listdir("tickets/1") == ([], ["a.pdf"])


def test_a_reader_of_the_old_file_is_not_disturbed_by_the_new_one(storage: ReplacingFileStorage) -> None:
    storage.save("a.pdf", ContentFile(b"old and longer"))
    with storage.open("a.pdf") as reader:
        reader.read(3)
        storage.save("a.pdf", ContentFile(b"new"))
        assert reader.read() == b" and longer"


def test_only_the_owner_can_read_a_ticket(storage: ReplacingFileStorage) -> None:
    storage.save("tickets/1/a.pdf", ContentFile(b"x"))
    path = Path(storage.path("tickets/1/a.pdf"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
