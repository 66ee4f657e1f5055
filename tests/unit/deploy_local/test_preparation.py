"""What is run between the services' start and the processes'."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from boxoffice.management.commands.seed_staff import Command
from deploy.local import preparation, static_files


def test_a_drawn_password_that_begins_with_a_hyphen_stops_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[str, ...]] = []

    def note(_: Mapping[str, str], *arguments: str) -> None:
        commands.append(arguments)

    monkeypatch.setattr(static_files, "are_current", lambda environment: True)
    monkeypatch.setattr(preparation, "manage", note)

    preparation.prepare({"STAFF_PASSWORD": "-v0hyphen", "DOOR_PASSWORD": "-door", "ROLE_PASSWORD": "-role"})

    ((name, *arguments),) = (command for command in commands if command[0] == "seed_staff")
    options = Command().create_parser("manage.py", name).parse_args(arguments)
    assert (name, options.username, options.password, options.door_password, options.role_password) == (
        "seed_staff",
        "staff",
        "-v0hyphen",
        "-door",
        "-role",
    )
