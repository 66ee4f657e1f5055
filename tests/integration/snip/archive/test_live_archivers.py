"""Archivers as processes of their own, on a Redis of their own and a bucket, killed at every point."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import boto3
import pytest
from django.conf import settings as site
from django.db import connection
from moto.server import ThreadedMotoServer

from config.ticket_storage import s3_storage
from snip.archive.archiver import Archiver
from snip.archive.erase_archives import erase_archives
from snip.archive.read_log import START, Page
from snip.archive.store_hours import object_name, write_clicks
from snip.event import Click, pack
from snip.log.streams import FIELD, stream_names, stream_number
from snip.models import ArchiveProgress, ClickArchive, ClickDay
from snip.uuid7 import first_uuid7
from tests.failpoints import ARCHIVER, Failpoints
from tests.fixtures_click_archive import NOON, clicks_by
from tests.fixtures_clock import Clock
from tests.fixtures_jobs import environment
from tests.fixtures_own_redis import OwnRedis
from tests.ledger import real_commits
from tests.processes import Process, wait_for

BUCKET = "clicks-of-the-tests"
HOURS = 3


@pytest.fixture(scope="module")
def click_bucket_server() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class ClickBucket:
    """Objects in a bucket, below a folder."""

    def __init__(self, server: str) -> None:
        self.url = f"s3://owner:owner-secret@{BUCKET}/box?endpoint={server}"
        login = {"aws_access_key_id": "owner", "aws_secret_access_key": "owner-secret"}
        self._client: Any = boto3.client("s3", endpoint_url=server, region_name="us-east-1", **login)
        self._client.create_bucket(Bucket=BUCKET)

    def objects(self) -> dict[str, bytes]:
        """All of them, by the name that they have in the storage."""
        listed = self._client.list_objects_v2(Bucket=BUCKET).get("Contents", [])
        return {of["Key"].removeprefix("box/"): self._content(of["Key"]) for of in listed}

    def empty(self) -> None:
        for name in self.objects():
            self._client.delete_object(Bucket=BUCKET, Key=f"box/{name}")
        self._client.delete_bucket(Bucket=BUCKET)

    def _content(self, key: str) -> bytes:
        content: bytes = self._client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return content


@pytest.fixture
def click_bucket(click_bucket_server: str, settings: Any) -> Iterator[ClickBucket]:
    """An empty bucket, in which the site keeps its files."""
    bucket = ClickBucket(click_bucket_server)
    settings.STORAGES = {**settings.STORAGES, "default": s3_storage(bucket.url)}
    yield bucket
    bucket.empty()


@pytest.fixture
def nothing_archived(transactional_db: None) -> Iterator[None]:
    """Truncated by hand: what other processes have committed stays otherwise."""
    yield
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE snip_archiveprogress, snip_clickarchive, snip_clickday")


def hours_of_clicks(server: OwnRedis, *, each: int) -> dict[str, list[Click]]:
    """So many clicks in each of some hours that are over; returns them by the object that has to hold them."""
    streams, expected = stream_names(site.SNIP_STREAMS), dict[str, list[Click]]()
    with server.client.pipeline(transaction=False) as pipeline:
        for number in range(each * HOURS):
            at = NOON + timedelta(hours=HOURS) * number / (each * HOURS)
            click = Click(UUID(int=first_uuid7(at).int | number), f"code{number % 7}", "DE", referrer="chat.example")
            stream = streams[stream_number(click.id.bytes, count=len(streams))]
            pipeline.xadd(stream, {FIELD: pack(click)}, id=f"{int(at.timestamp() * 1000)}-{number}")
            expected.setdefault(object_name(stream=stream, hour=_hour(at)), []).append(click)
        pipeline.execute()
    return expected


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def as_object(clicks: Sequence[Click]) -> bytes:
    """What the object of these clicks holds, to the byte."""
    draft = io.BytesIO()
    write_clicks(draft, [Page(clicks, START, is_end=True)])
    return draft.getvalue()


@real_commits
def test_archivers_that_are_killed_at_every_point_leave_the_same_objects_and_sums(
    own_redis: OwnRedis, click_bucket: ClickBucket, nothing_archived: None, tmp_path: Path
) -> None:
    expected = hours_of_clicks(own_redis, each=400)
    points = Failpoints(tmp_path)
    for point in ARCHIVER:
        points.arm(point, "kill")
    variables = {
        **environment(site.BROKER_URL),
        "REDIS_URL": own_redis.url,
        "TICKET_STORAGE_URL": click_bucket.url,
        "FAILPOINTS": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "archive_clicks"]
    archivers = [Process("archiver", command, variables, ready="archiver ready") for _ in range(len(ARCHIVER) + 1)]
    try:
        wait_for(lambda: all(map(points.fired, ARCHIVER)), seconds=60, what="every point is met")
        wait_for(lambda: ClickArchive.objects.count() == len(expected), seconds=30, what="every hour is stored")
        wait_for(lambda: sum(clicks_by(ClickDay.By.HOUR).values()) >= 400 * HOURS, seconds=30, what="all is added up")
        (survivor,) = [process for process in archivers if process.alive]
        assert survivor.terminate() == 0
    finally:
        for process in archivers:
            process.kill()
            print("".join(process.output[-20:]))  # noqa: T201  (shown for a test that failed)

    assert click_bucket.objects() == {name: as_object(clicks) for name, clicks in expected.items()}
    for by in ClickDay.By:
        assert sum(clicks_by(by).values()) == 400 * HOURS


def test_an_hour_that_is_stored_again_in_a_bucket_is_the_same_object_and_leaves_in_its_time(
    own_redis: OwnRedis, click_bucket: ClickBucket, db: None, clock: Clock
) -> None:
    expected = hours_of_clicks(own_redis, each=20)
    archiver = Archiver(client=own_redis.client, streams=stream_names(site.SNIP_STREAMS))
    assert archiver.run_once()
    stored = click_bucket.objects()
    ClickArchive.objects.all().delete()
    ArchiveProgress.objects.update(stored_until=None)

    assert archiver.run_once()

    assert click_bucket.objects() == stored == {name: as_object(clicks) for name, clicks in expected.items()}
    assert {row.name: row.size for row in ClickArchive.objects.all()} == {name: len(of) for name, of in stored.items()}
    clock.advance(timedelta(days=401))
    assert erase_archives() == len(expected)
    assert not click_bucket.objects()
