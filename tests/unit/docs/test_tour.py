"""The tour shows what the demo prints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from typing import cast

from deploy.local.checkout import Instance
from deploy.local.demo import _welcome
from deploy.local.stack import Stack, stack_environment

TOUR = Path(__file__).parents[3] / "docs" / "tour.md"


def what_stands_before_addresses(lines: Sequence[str]) -> list[str]:
    return [re.split(r"http://|$", line.strip(), maxsplit=1)[0].strip() for line in lines]


def test_who_follows_the_tour_sees_each_line_of_the_demo_that_it_shows(instance: Instance) -> None:
    drawn = {"STAFF_PASSWORD": "…", "ROLE_PASSWORD": "…", "DOOR_PASSWORD": "…"}
    environment = {**stack_environment({}, instance=instance, mail="esp"), **drawn}
    printed = _welcome(Stack(environment, cast(Popen[bytes], None))).strip().splitlines()

    told = re.search(r"^    READY .*?^$", TOUR.read_text(), re.MULTILINE | re.DOTALL)

    assert told is not None
    assert what_stands_before_addresses(told.group().splitlines()) == what_stands_before_addresses(printed)
