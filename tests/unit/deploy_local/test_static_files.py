"""Static files are gathered anew when they changed, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local import static_files


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("boxoffice/static", "config/settings", ".local"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "requirements.txt").write_text("django==5.2\n")
    (tmp_path / "boxoffice/static/base.css").write_text("body {}")
    monkeypatch.setattr(static_files, "ROOT", tmp_path)
    return tmp_path


@pytest.fixture
def gathered(checkout: Path) -> dict[str, str]:
    environment = {"STATIC_ROOT": str(checkout / ".local/static")}
    static_files.note_gathered(environment)
    return environment


@pytest.mark.usefixtures("checkout")
def test_what_was_gathered_of_just_these_files_is_current(gathered: dict[str, str]) -> None:
    assert static_files.are_current(gathered)


@pytest.mark.parametrize("changed", ["boxoffice/static/base.css", "boxoffice/static/new.css", "requirements.txt"])
def test_a_change_makes_them_stale(checkout: Path, gathered: dict[str, str], changed: str) -> None:
    (checkout / changed).write_text("changed")

    assert not static_files.are_current(gathered)


def test_nothing_is_current_before_the_first_time(checkout: Path) -> None:
    assert not static_files.are_current({"STATIC_ROOT": str(checkout / ".local/static")})
