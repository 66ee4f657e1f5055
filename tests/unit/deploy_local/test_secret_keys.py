"""Secrets are drawn once for each checkout, and only their owner can read them."""

from __future__ import annotations

import stat
from pathlib import Path

from deploy.local.secret_keys import KEYS, secret_keys


def test_secrets_are_the_same_in_every_run(tmp_path: Path) -> None:
    first = secret_keys(file=tmp_path / "secrets.env")

    assert secret_keys(file=tmp_path / "secrets.env") == first
    assert set(first) == set(KEYS)


def test_secrets_of_two_checkouts_differ_in_every_key(tmp_path: Path) -> None:
    ours, theirs = (secret_keys(file=tmp_path / name) for name in ("ours.env", "theirs.env"))

    assert not [name for name in KEYS if ours[name] == theirs[name]]


def test_secrets_can_be_read_by_their_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "secrets.env"
    secret_keys(file=file)

    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_key_that_a_newer_version_needs_is_added_and_the_others_stay(tmp_path: Path) -> None:
    file = tmp_path / "secrets.env"
    first = secret_keys(file=file)
    file.write_text("".join(line for line in file.read_text().splitlines(True) if "REDIS" not in line))

    again = secret_keys(file=file)

    assert again["REDIS_PASSWORD"] != first["REDIS_PASSWORD"]
    assert {**again, "REDIS_PASSWORD": ""} == {**first, "REDIS_PASSWORD": ""}
