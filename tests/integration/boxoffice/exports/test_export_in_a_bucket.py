"""Exports in a bucket, against a real HTTP server that speaks S3: written over, handed out by us alone, and erased."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import boto3
import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.test import Client
from moto.server import ThreadedMotoServer

from boxoffice.exports import transitions
from boxoffice.exports.erase_exports import erase_exports
from boxoffice.exports.start_export import start_export
from boxoffice.exports.write_export import write_export
from boxoffice.models import Export
from boxoffice.roles.make_groups import make_groups
from config.ticket_storage import s3_storage
from inventory.models import Show
from tests.books import sell_on_the_web
from tests.fixtures_clock import Clock

pytestmark = pytest.mark.django_db

BUCKET = "exports-of-a-test"
PAGE = "/admin/boxoffice/export/"


def _use(settings: Any, url: str) -> None:
    settings.STORAGES = {**settings.STORAGES, "default": s3_storage(url)}


@pytest.fixture
def export_bucket(settings: Any) -> Iterator[Any]:
    """An empty bucket of a service of its own, in which the site keeps its files."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        given = {"region_name": "us-east-1", "aws_access_key_id": "owner", "aws_secret_access_key": "owner-secret"}
        bucket = boto3.resource("s3", endpoint_url=endpoint, **given).create_bucket(Bucket=BUCKET)
        _use(settings, f"s3://owner:owner-secret@{BUCKET}/box?endpoint={endpoint}")
        yield bucket
        bucket.objects.all().delete()
    finally:
        server.stop()


@pytest.fixture
def export_in_a_bucket(export_bucket: Any, make_show: Callable[..., Show]) -> Export:
    """Two attendees of a show, asked for by somebody of Finance, and written."""
    make_groups()
    show = make_show("Nightbirds", prices={"Front": 4210, "House": 1205})
    sell_on_the_web(show, "A-1", "B-1")
    user = get_user_model().objects.create_user("anna", email="anna@house.example", is_staff=True)
    user.groups.add(Group.objects.get(name="Finance"))
    number = start_export(number=uuid4(), user=user, kind="attendees", language="en", show=show)
    assert number is not None
    write_export(export_id=number)
    return Export.objects.get(pk=number)


def _keys(bucket: Any) -> list[str]:
    return [found.key for found in bucket.objects.all()]


def test_a_file_of_a_bucket_is_handed_out_by_the_desk_whole_and_without_an_address_of_it(
    client: Client, export_in_a_bucket: Export, export_bucket: Any
) -> None:
    export = export_in_a_bucket
    assert _keys(export_bucket) == [f"box/{export.storage_name}"]
    client.force_login(export.user)
    answer = client.get(f"{PAGE}{export.pk}/download/")
    content = b"".join(answer)
    assert content.startswith(b"\xef\xbb\xbfShow,")
    assert content.count(b"\r\n") == 1 + export.rows_done == 3
    assert len(content) == export.size == int(answer["Content-Length"])
    assert f"attendees-show-{export.show_id}.csv" in answer["Content-Disposition"]
    assert BUCKET not in str(answer.headers)


def test_a_job_that_comes_again_writes_over_its_file_in_the_bucket(
    export_in_a_bucket: Export, export_bucket: Any
) -> None:
    Export.objects.update(state="failed", storage_name="", size=None, erase_at=None)
    assert transitions.plan_again(export_id=export_in_a_bucket.pk)
    write_export(export_id=export_in_a_bucket.pk)
    assert _keys(export_bucket) == [f"box/{export_in_a_bucket.storage_name}"]


def test_a_file_is_erased_from_the_bucket_after_a_week_and_no_other_with_it(
    export_in_a_bucket: Export, export_bucket: Any, clock: Clock
) -> None:
    export_bucket.put_object(Key=f"box/exports/{export_in_a_bucket.pk}0/other.csv", Body=b"x")
    clock.advance(timedelta(days=7, minutes=1))
    assert erase_exports() == 1
    assert _keys(export_bucket) == [f"box/exports/{export_in_a_bucket.pk}0/other.csv"]


def test_a_file_that_went_from_the_bucket_and_a_bucket_that_is_away_are_said_in_words(
    client: Client, export_in_a_bucket: Export, export_bucket: Any, settings: Any
) -> None:
    client.force_login(export_in_a_bucket.user)
    address = f"{PAGE}{export_in_a_bucket.pk}/download/"
    export_bucket.objects.all().delete()
    assert "not there any more" in client.get(address, follow=True).content.decode()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        _use(settings, f"s3://k:s@{BUCKET}?endpoint=http://127.0.0.1:{taken.getsockname()[1]}")
        assert "cannot be read at the moment" in client.get(address, follow=True).content.decode()
