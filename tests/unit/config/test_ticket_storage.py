"""Where the ticket files are kept, in one variable."""

from __future__ import annotations

import pytest

from config.ticket_storage import is_ticket_storage, s3_storage


@pytest.mark.parametrize(
    "url",
    [
        "s3://tickets",
        "s3://tickets/box/office?region=eu-central-1",
        "s3://key:sec%2Fret@tickets?endpoint=https://minio.example.org:9000",
        "s3://key:secret@tickets?endpoint=http://127.0.0.1:9000",
    ],
)
def test_a_bucket_is_named_with_or_without_a_key_and_an_endpoint(url: str) -> None:
    assert is_ticket_storage(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://tickets.s3.amazonaws.com",
        "s3://",
        "s3://T",
        "s3://key@tickets",
        "s3://tickets/../x y",
        "s3://tickets?acl=public-read",
        "s3://tickets?endpoint=http://minio.example.org:9000",
        "s3://tickets?endpoint=",
        "s3://tickets:9000",
    ],
)
def test_what_is_no_bucket_or_would_send_tickets_unencrypted_is_refused(url: str) -> None:
    assert not is_ticket_storage(url)


def test_objects_get_no_public_access_and_are_replaced() -> None:
    options = s3_storage("s3://key:sec%2Fret@tickets/box/?region=eu-central-1")["OPTIONS"]
    assert (options["bucket_name"], options["location"], options["region_name"]) == ("tickets", "box", "eu-central-1")
    assert (options["access_key"], options["secret_key"]) == ("key", "sec/ret")
    assert (options["default_acl"], options["file_overwrite"]) == (None, True)
    assert options["endpoint_url"] is None


def test_without_a_key_the_ones_that_the_host_lends_are_used() -> None:
    options = s3_storage("s3://tickets")["OPTIONS"]
    assert (options["access_key"], options["secret_key"]) == (None, None)
