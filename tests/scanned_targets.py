"""Targets of scans, and why they are refused."""

from __future__ import annotations

import pytest

from snip.scan.follow import Scanner
from snip.scan.refusals import Reason, Refused
from tests.fixtures_link_scanner import HostileWeb

HTML = "text/html"


def why(scanner: Scanner, target: str) -> tuple[Reason, int]:
    with pytest.raises(Refused) as refused:
        scanner.follow(target)
    return refused.value.reason, refused.value.hop


def at(web: HostileWeb, path: str = "/", host: str = "site.example.com") -> str:
    return f"http://{host}:{web.port}{path}"
