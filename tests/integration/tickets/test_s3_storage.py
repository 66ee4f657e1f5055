"""Ticket files in a bucket, against a real HTTP server that speaks S3."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import boto3
import pytest
from django.db import transaction
from django.test import Client
from moto import settings as moto_settings
from moto.core.responses import ActionAuthenticatorMixin
from moto.server import ThreadedMotoServer

from boxoffice.models import Order
from config.ticket_storage import ATTEMPTS, CONNECT_SECONDS, READ_SECONDS, s3_storage
from jobs.failures.classify import classify
from jobs.failures.retry import FailureClass
from jobs.models import Job
from tests.fixtures_tickets import ORDER_ID
from tickets.discard_file import discard_file
from tickets.issue_tickets import issue_tickets
from tickets.models import Ticket, TicketDocument
from tickets.renew_document import renew_document
from tickets.selectors import document_of_order
from tickets.storage import open_document, read_document, store_document, ticket_storage
from tickets.void_tickets import void_tickets

BUCKET = "tickets"


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    """A service for all tests of this module."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


def account(server: str, service: str = "s3") -> Any:
    return boto3.client(
        service,
        endpoint_url=server,
        region_name="us-east-1",
        aws_access_key_id="owner",
        aws_secret_access_key="owner-secret",
    )


def use(settings: Any, url: str, **options: Any) -> None:
    entry = s3_storage(url)
    entry["OPTIONS"] |= options
    settings.STORAGES = {**settings.STORAGES, "default": entry}


@pytest.fixture
def bucket(s3_server: str, settings: Any) -> Iterator[Any]:
    """An empty bucket, in which the site keeps its tickets."""
    client = account(s3_server)
    client.create_bucket(Bucket=BUCKET)
    use(settings, f"s3://owner:owner-secret@{BUCKET}/box?endpoint={s3_server}")
    yield client
    for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=found["Key"])
    client.delete_bucket(Bucket=BUCKET)


@pytest.fixture
def order_with_bucket_tickets(confirmed_order: Order, bucket: Any) -> Order:
    """Two seats sold, their tickets issued and kept in the bucket."""
    issue_tickets(order_id=confirmed_order.pk)
    return confirmed_order


def keys(client: Any) -> list[str]:
    return [found["Key"] for found in client.list_objects_v2(Bucket=BUCKET).get("Contents", [])]


def stored(content: bytes = b"%PDF-1") -> TicketDocument:
    return TicketDocument(
        order_id=ORDER_ID, storage_name=store_document(order_id=ORDER_ID, ticket_ids=[1], content=content)
    )


def test_a_file_is_read_as_it_was_stored_under_the_folder_of_the_setting(bucket: Any) -> None:
    document = stored()
    assert keys(bucket) == [f"box/{document.storage_name}"]
    with open_document(document=document) as file:
        assert file.read() == b"%PDF-1"


def test_a_file_that_is_stored_again_replaces_the_old_one(bucket: Any) -> None:
    first, second = stored(b"%PDF-old and longer"), stored(b"%PDF-new")
    assert first.storage_name == second.storage_name
    assert read_document(document=first) == b"%PDF-new"
    assert len(keys(bucket)) == 1


def test_an_object_is_private_and_kept_by_no_cache(bucket: Any, s3_server: str) -> None:
    (key,) = [f"box/{stored().storage_name}"]
    grants = bucket.get_object_acl(Bucket=BUCKET, Key=key)["Grants"]
    assert [grant["Grantee"].get("URI") for grant in grants] == [None]
    head = bucket.head_object(Bucket=BUCKET, Key=key)
    assert (head["ContentType"], head["CacheControl"]) == ("application/pdf", "private, no-store")
    assert head["ContentDisposition"] == "attachment"


def test_a_key_tells_nothing_of_a_person_or_a_ticket(pending_tickets: list[Ticket], bucket: Any) -> None:
    issue_tickets(order_id=ORDER_ID)
    (key,) = keys(bucket)
    assert re.fullmatch(rf"box/tickets/{ORDER_ID}/[0-9a-f]{{32}}\.pdf", key)


def test_nobody_without_the_account_reads_an_object(bucket: Any, s3_server: str) -> None:
    address = f"{s3_server}/{BUCKET}/box/{stored().storage_name}"
    before = moto_settings.INITIAL_NO_AUTH_ACTION_COUNT
    moto_settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    ActionAuthenticatorMixin.request_count = 0
    try:
        with pytest.raises(HTTPError) as refused, urlopen(address, timeout=10):
            pass
        assert refused.value.code == 403
    finally:
        moto_settings.INITIAL_NO_AUTH_ACTION_COUNT = before


def test_after_a_refund_the_bucket_holds_the_new_file_alone(
    client: Client, order_with_bucket_tickets: Order, bucket: Any
) -> None:
    order = order_with_bucket_tickets
    (old,) = keys(bucket)
    with transaction.atomic():
        void_tickets(order_id=order.pk, seat_ids=[order.lines.values_list("seat_id", flat=True)[0]], reason="refunded")
    renew_document(order_id=order.pk)
    (discarding,) = Job.objects.filter(task="tickets.discard_file")
    discard_file(**discarding.args)
    (new,) = keys(bucket)
    assert new != old
    assert client.get(f"/orders/{order.token}/tickets.pdf", follow=True).content.startswith(b"%PDF-")


def test_issuing_keeps_the_tickets_in_the_bucket_and_a_repetition_replaces_them(
    pending_tickets: list[Ticket], bucket: Any
) -> None:
    issue_tickets(order_id=ORDER_ID)
    document = document_of_order(order_id=ORDER_ID)
    assert document is not None
    assert len(read_document(document=document)) == document.size
    Ticket.objects.update(status="pending")
    issue_tickets(order_id=ORDER_ID)
    assert keys(bucket) == [f"box/{document.storage_name}"]


def test_a_file_that_is_gone_is_not_found(bucket: Any) -> None:
    document = stored()
    ticket_storage().delete(document.storage_name)
    with pytest.raises(FileNotFoundError):
        open_document(document=document)


def test_a_bucket_that_is_not_there_does_not_come_by_waiting(s3_server: str, settings: Any) -> None:
    use(settings, f"s3://owner:owner-secret@missing-bucket?endpoint={s3_server}")
    assert failure_class() is FailureClass.PERMANENT


def test_a_key_without_the_right_is_refused_for_good(bucket: Any, s3_server: str, settings: Any) -> None:
    people = account(s3_server, "iam")
    people.create_user(UserName="nobody")
    key = people.create_access_key(UserName="nobody")["AccessKey"]
    use(settings, f"s3://{key['AccessKeyId']}:{quoted(key['SecretAccessKey'])}@{BUCKET}?endpoint={s3_server}")
    before = moto_settings.INITIAL_NO_AUTH_ACTION_COUNT
    moto_settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    ActionAuthenticatorMixin.request_count = 0
    try:
        assert failure_class() is FailureClass.PERMANENT
    finally:
        moto_settings.INITIAL_NO_AUTH_ACTION_COUNT = before


def test_a_service_that_is_away_is_tried_again(settings: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        use(settings, f"s3://k:s@{BUCKET}?endpoint=http://127.0.0.1:{taken.getsockname()[1]}")
        assert failure_class() is FailureClass.TRANSIENT


def test_a_service_that_never_answers_is_given_up_in_time_and_tried_again(settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"s3://k:s@{BUCKET}?endpoint=http://127.0.0.1:{silent.getsockname()[1]}"
        impatient = s3_storage(url)["OPTIONS"]["client_config"]
        assert (impatient.connect_timeout, impatient.read_timeout) == (CONNECT_SECONDS, READ_SECONDS)
        assert (CONNECT_SECONDS + READ_SECONDS) * ATTEMPTS < 30
        impatient.read_timeout = 0.2
        use(settings, url, client_config=impatient)
        start = time.monotonic()
        assert failure_class() is FailureClass.TRANSIENT
        assert time.monotonic() - start < 8


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [
        (503, "SlowDown", FailureClass.RATE_LIMITED),
        (500, "InternalError", FailureClass.TRANSIENT),
        (403, "AccessDenied", FailureClass.PERMANENT),
    ],
)
def test_what_the_service_says_decides(status: int, code: str, expected: FailureClass, settings: Any) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_refuse, args=(listener, status, code), daemon=True)
        thread.start()
        use(settings, f"s3://k:s@{BUCKET}?endpoint=http://127.0.0.1:{listener.getsockname()[1]}")
        assert failure_class() is expected
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(5)


def test_the_page_hands_the_file_out_of_the_bucket_without_an_address_of_it(
    client: Client, confirmed_order: Order, bucket: Any, s3_server: str
) -> None:
    issue_tickets(order_id=confirmed_order.pk)
    answer = client.get(f"/orders/{confirmed_order.token}/tickets.pdf", follow=True)
    assert answer.content.startswith(b"%PDF-")
    assert answer["Content-Disposition"] == f'attachment; filename="tickets-{confirmed_order.code}.pdf"'
    assert all(s3_server not in address for address, _status in answer.redirect_chain)
    for key in keys(bucket):
        bucket.delete_object(Bucket=BUCKET, Key=key)
    assert client.get(f"/orders/{confirmed_order.token}/tickets.pdf", follow=True).status_code == 404


def test_a_bucket_that_cannot_be_reached_is_said_in_words_and_the_order_page_stands(
    client: Client, order_with_tickets: Order, settings: Any
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        use(settings, f"s3://k:s@{BUCKET}?endpoint=http://127.0.0.1:{taken.getsockname()[1]}")
        answer = client.get(f"/orders/{order_with_tickets.token}/tickets.pdf", follow=True)
        assert answer.status_code == 503
        assert "Try again in a minute" in answer.content.decode()
        assert client.get(f"/orders/{order_with_tickets.token}/").status_code == 200


def failure_class() -> FailureClass:
    with pytest.raises(Exception) as raised:
        stored()
    return classify(raised.value)


def quoted(secret: str) -> str:
    return secret.replace("%", "%25").replace("/", "%2F").replace("+", "%2B")


def _refuse(listener: socket.socket, status: int, code: str) -> None:
    body = f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode()
    head = f"HTTP/1.1 {status} No\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    while True:
        try:
            connection, _address = listener.accept()
        except OSError:
            return
        with connection:
            connection.settimeout(2)
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(65536)
            connection.sendall(head + body)
