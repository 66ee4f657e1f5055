"""Fixtures of the local stack's tests: instances in folders of their own, and nothing left behind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local import postgres_account
from deploy.local.checkout import Instance


@pytest.fixture
def reachable_folder() -> Iterator[Path]:
    """A folder with a space in its name that every account of the machine can reach, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="box office "))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def instance(reachable_folder: Path) -> Instance:
    """An instance in a checkout whose name has a space in it."""
    instance = Instance("demo", root=reachable_folder)
    instance.create()
    return instance


@pytest.fixture
def folder_for_all(reachable_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stands in for /var/lib, where root puts what PostgreSQL's account cannot reach in the checkout."""
    folder = reachable_folder / "var lib"
    folder.mkdir()
    monkeypatch.setattr(postgres_account, "REACHABLE_BY_ALL", folder)
    return folder
