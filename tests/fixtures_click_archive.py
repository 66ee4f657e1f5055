"""A log of clicks whose entries have the times that a test wants, and the archiver that reads it."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import secrets
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import redis
from django.conf import settings as site
from django.core.files.storage import default_storage
from django.db.models import Sum

from snip.archive.archiver import Archiver
from snip.event import AgentClass, Click, pack
from snip.log.streams import FIELD, stream_names
from snip.models import ClickDay
from snip.uuid7 import first_uuid7

STREAM = stream_names(1)[0]
NOON = (datetime.now().astimezone() - timedelta(days=2)).replace(hour=12, minute=0, second=0, microsecond=0)
"""Of a day that is over, and that the log still keeps."""


_numbers = itertools.count(1)


def entry_id(at: datetime) -> str:
    """An entry's id of this millisecond, after those that were drawn before."""
    return f"{int(at.timestamp() * 1000)}-{next(_numbers)}"


class ClickLog:
    """One stream. Entries go in with the time of their click, as Redis would give them."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def add(
        self,
        code: str = "k7mqx2",
        *,
        at: datetime = NOON,
        country: str = "DE",
        referrer: str = "chat.example",
        agent: AgentClass = AgentClass.MOBILE,
    ) -> Click:
        identifier = UUID(int=first_uuid7(at).int | secrets.randbits(60))
        click = Click(identifier, code, country, agent, referrer)
        self.add_packed(pack(click), at=at)
        return click

    def add_packed(self, packed: bytes, *, at: datetime = NOON) -> None:
        self.client.xadd(STREAM, {FIELD: packed}, id=entry_id(at))

    def archiver(self) -> Archiver:
        """A process of the group that has only just started."""
        return Archiver(client=self.client, streams=[STREAM], pass_seconds=0.01)


@pytest.fixture
def hourly_log(tmp_path: Path, settings: Any) -> Iterator[ClickLog]:
    """An empty log in the tests' Redis, and an empty folder for the objects."""
    settings.MEDIA_ROOT = str(tmp_path)
    with redis.Redis.from_url(site.REDIS_URL, socket_timeout=20) as client:
        client.delete(*stream_names(16))
        yield ClickLog(client)
        client.delete(*stream_names(16))


def clicks_by(by: ClickDay.By, *, is_bot: bool = False) -> dict[str, int]:
    """What the sums say, of all codes and days together."""
    rows = ClickDay.objects.filter(by=by, is_bot=is_bot).values_list("value").annotate(Sum("clicks"))
    return {value: int(clicks) for value, clicks in rows}


def objects_in(folder: str = "clicks") -> dict[str, bytes]:
    """Every object that is stored below this folder, by name."""
    folders, files = default_storage.listdir(folder) if default_storage.exists(folder) else ([], [])
    found = {f"{folder}/{file}": default_storage.open(f"{folder}/{file}").read() for file in files}
    for each in folders:
        found |= objects_in(f"{folder}/{each}")
    return found


def rows_in(content: bytes) -> list[dict[str, str]]:
    """The clicks of an object."""
    return list(csv.DictReader(io.StringIO(gzip.decompress(content).decode())))
