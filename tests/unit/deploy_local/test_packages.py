"""System packages: installed when that is allowed, and otherwise the exact command is on the screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local import packages
from deploy.local.packages import Group

ABSENT = Group("a thing that is nowhere", ("no-such-package", "nor-this-one"), lambda: False)
PRESENT = Group("a thing that is here", ("some-package",), lambda: True)


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A user who may not become root, on Debian."""
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\nexit 1\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(packages, "how_to_become_root", lambda: None)
    monkeypatch.setitem(packages.GROUPS, "pdf", ABSENT)
    monkeypatch.setitem(packages.GROUPS, "redis", PRESENT)


@pytest.mark.usefixtures("nobody")
def test_what_may_not_be_installed_is_named_with_the_exact_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert packages.main(["pdf"]) == 1

    said = capsys.readouterr().err
    assert "sudo apt-get install --yes --no-install-recommends no-such-package nor-this-one" in said


@pytest.mark.usefixtures("nobody")
def test_what_is_optional_is_skipped_loudly_and_the_run_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert packages.main(["--try", "pdf"]) == 0

    assert "!! SKIPPED: whatever needs a thing that is nowhere." in capsys.readouterr().err


@pytest.mark.usefixtures("nobody")
def test_what_is_here_is_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    assert packages.main(["redis"]) == 0

    assert capsys.readouterr() == ("", "")


def test_a_system_without_apt_is_told_what_to_look_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setitem(packages.GROUPS, "pdf", ABSENT)

    assert packages.main(["pdf"]) == 1

    assert "install it with this system's package manager" in capsys.readouterr().err
