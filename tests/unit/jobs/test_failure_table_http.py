"""What requests, urllib, stripe and botocore raise for each answer of a real server, and how it is classed."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

import botocore.config
import botocore.exceptions
import botocore.session
import pytest
import requests
import stripe

from jobs.failures.classify import asked_delay, classify
from jobs.failures.retry import FailureClass
from tests.fixtures_failures import AnsweringServer

T, R, P = FailureClass.TRANSIENT, FailureClass.RATE_LIMITED, FailureClass.PERMANENT
WAIT = {"Retry-After": "7"}

Call = Callable[..., Any]


def call_requests(url: str, seconds: float = 10) -> None:
    requests.get(url, timeout=seconds).raise_for_status()


def call_urllib(url: str, seconds: float = 10) -> None:
    with urllib.request.urlopen(url, timeout=seconds) as answer:
        answer.read()


def call_stripe(url: str, seconds: float = 10) -> None:
    http = stripe.RequestsClient(timeout=seconds)
    client = stripe.StripeClient("sk_test_1", base_addresses={"api": url}, http_client=http, max_network_retries=0)
    try:
        client.v1.refunds.create({"payment_intent": "pi_1"})
    finally:
        http.close()


_SESSION = botocore.session.Session()


def call_botocore(url: str, seconds: float = 10) -> None:
    client = _SESSION.create_client(
        "s3",
        endpoint_url=url,
        region_name="eu-central-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        config=botocore.config.Config(
            connect_timeout=seconds,
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
            s3={"addressing_style": "path"},
        ),
    )
    try:
        client.get_object(Bucket="tickets", Key="a.pdf")["Body"].read()
    finally:
        client.close()


CALLS = {"requests": call_requests, "urllib": call_urllib, "stripe": call_stripe, "botocore": call_botocore}


def failure_of(call: Call, url: str, **options: float) -> Exception:
    try:
        call(url, **options)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


@pytest.fixture(params=CALLS)
def call(request: pytest.FixtureRequest) -> Call:
    return CALLS[request.param]


def stripe_error(**fields: str) -> bytes:
    return json.dumps({"error": {"type": "api_error", "message": "no", **fields}}).encode()


def s3_error(code: str) -> bytes:
    return f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>no</Message></Error>".encode()


@pytest.mark.parametrize(
    ("status", "with_header", "failure"),
    [
        (400, False, P),
        (401, False, P),
        (403, False, P),
        (404, True, P),
        (408, False, T),
        (422, False, P),
        (425, False, T),
        (429, False, R),
        (429, True, R),
        (500, False, T),
        (500, True, T),
        (501, False, P),
        (502, False, T),
        (503, False, T),
        (503, True, R),
        (504, False, T),
        (505, False, P),
        (599, False, T),
    ],
)
def test_an_answers_status_decides_whichever_library_has_asked(
    call: Call, answering_server: AnsweringServer, status: int, with_header: bool, failure: FailureClass
) -> None:
    body = {call_stripe: stripe_error(), call_botocore: s3_error("NobodyKnows")}.get(call, b"no")
    answering_server.answer(status, WAIT if with_header else {}, body)
    error = failure_of(call, answering_server.url)
    assert classify(error) is failure, repr(error)
    assert asked_delay(error) == (7 if with_header and failure is R else None)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "0"}, 0),
        ({"retry-after": " 12 "}, 12),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": "Sun, 06 Nov 1994 08:51:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"}, 120),
        ({"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:51:37 GMT"}, None),
        ({"Retry-After": "Sun, 06 Nov 1994 08:51:37 GMT"}, None),
        ({"Retry-After": "Sun, 06 Nov 1994 08:51:37 GMT", "Date": "today"}, None),
        ({"Retry-After": "Sun, 99 Nov 1994 99:51:37 GMT", "Date": "Sun, 06 Nov 1994 08:51:37 GMT"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "1e3"}, None),
        ({"Retry-After": "9" * 400}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "soon"}, None),
    ],
    ids=lambda value: str(value.get("Retry-After", ""))[:12] if isinstance(value, dict) else str(value),
)
def test_only_a_sane_number_of_seconds_from_now_on_is_believed(
    call: Call, answering_server: AnsweringServer, headers: dict[str, str], seconds: float | None
) -> None:
    body = {call_stripe: stripe_error(), call_botocore: s3_error("NobodyKnows")}.get(call, b"no")
    answering_server.answer(429, headers, body)
    limited = failure_of(call, answering_server.url)
    assert classify(limited) is R
    assert asked_delay(limited) == seconds
    answering_server.answer(503, headers, body)
    assert classify(failure_of(call, answering_server.url)) is (T if seconds is None else R)


@pytest.mark.parametrize(
    ("status", "fields", "name", "failure"),
    [
        (429, {}, "RateLimitError", R),
        (429, {"code": "lock_timeout"}, "RateLimitError", T),
        (400, {"code": "rate_limit"}, "RateLimitError", R),
        (409, {"type": "idempotency_error", "code": "idempotency_key_in_use"}, "APIError", T),
        (409, {"type": "invalid_request_error"}, "APIError", T),
        (400, {"type": "idempotency_error"}, "IdempotencyError", P),
        (400, {"type": "idempotency_error", "code": "idempotency_key_in_use"}, "IdempotencyError", T),
        (400, {"type": "invalid_request_error"}, "InvalidRequestError", P),
        (402, {"type": "card_error", "code": "card_declined"}, "CardError", P),
        (401, {}, "AuthenticationError", P),
        (403, {}, "PermissionError", P),
        (500, {}, "APIError", T),
    ],
)
def test_stripes_errors_are_told_apart(
    answering_server: AnsweringServer, status: int, fields: dict[str, str], name: str, failure: FailureClass
) -> None:
    answering_server.answer(status, body=stripe_error(**fields))
    error = failure_of(call_stripe, answering_server.url)
    assert type(error).__name__ == name
    assert classify(error) is failure


@pytest.mark.parametrize(
    ("status", "advice", "failure"),
    [(400, "true", T), (429, "true", R), (400, "false", P), (500, "false", T), (400, "perhaps", P)],
)
def test_stripes_advice_counts_where_it_gives_hope(
    answering_server: AnsweringServer, status: int, advice: str, failure: FailureClass
) -> None:
    answering_server.answer(status, {"Stripe-Should-Retry": advice}, stripe_error())
    assert classify(failure_of(call_stripe, answering_server.url)) is failure


@pytest.mark.parametrize("status", [200, 502, 503])
def test_a_page_instead_of_stripes_answer_is_tried_again(answering_server: AnsweringServer, status: int) -> None:
    answering_server.answer(status, body=b"<html>Bad gateway</html>")
    assert classify(failure_of(call_stripe, answering_server.url)) is T


def test_a_webhook_that_was_not_signed_by_stripe_stays_so() -> None:
    error = failure_of(lambda _: stripe.Webhook.construct_event("{}", "t=1,v1=00", "whsec_1"), "")
    assert isinstance(error, stripe.SignatureVerificationError)
    assert classify(error) is P


@pytest.mark.parametrize(
    ("status", "code", "failure"),
    [
        (503, "SlowDown", R),
        (400, "ThrottlingException", R),
        (400, "RequestLimitExceeded", R),
        (400, "RequestTimeout", T),
        (409, "OperationAborted", T),
        (409, "BucketAlreadyExists", P),
        (412, "PreconditionFailed", P),
        (403, "AccessDenied", P),
        (404, "NoSuchBucket", P),
        (301, "PermanentRedirect", P),
        (500, "InternalError", T),
    ],
)
def test_a_code_of_s3_says_more_than_its_status(
    answering_server: AnsweringServer, status: int, code: str, failure: FailureClass
) -> None:
    answering_server.answer(status, body=s3_error(code))
    error = failure_of(call_botocore, answering_server.url)
    assert isinstance(error, botocore.exceptions.ClientError)
    assert classify(error) is failure


def test_a_request_that_botocore_refuses_to_send_will_be_refused_again() -> None:
    def call(_: str) -> None:
        client = _SESSION.create_client(
            "s3", region_name="eu-central-1", aws_access_key_id="k", aws_secret_access_key="s"
        )
        client.put_object(Bucket="tickets", Key=7)

    error = failure_of(call, "")
    assert isinstance(error, botocore.exceptions.ParamValidationError)
    assert classify(error) is P


def test_too_many_redirects_are_the_addresss_fault(answering_server: AnsweringServer) -> None:
    answering_server.answer(302, {"Location": "/again"})
    error = failure_of(call_requests, answering_server.url)
    assert isinstance(error, requests.TooManyRedirects)
    assert classify(error) is P


def test_an_answer_that_is_no_json_is_permanent_and_a_bad_address_too(answering_server: AnsweringServer) -> None:
    answering_server.answer(200, body=b"<html>")
    assert classify(failure_of(lambda url: requests.get(url, timeout=1).json(), answering_server.url)) is P
    for address in ("no-scheme", "gopher://127.0.0.1", "http://"):
        assert classify(failure_of(call_requests, address)) is P


def test_a_session_that_has_used_up_its_own_retries_leaves_it_to_the_ledger(answering_server: AnsweringServer) -> None:
    def call(url: str) -> None:
        with requests.Session() as session:
            session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retries))
            session.get(url, timeout=1)

    retries = requests.adapters.Retry(total=1, status_forcelist=[500], backoff_factor=0)
    answering_server.answer(500)
    error = failure_of(call, answering_server.url)
    assert isinstance(error, requests.exceptions.RetryError)
    assert classify(error) is T


def test_nobody_answers(call: Call, refusing_port: int) -> None:
    assert classify(failure_of(call, f"http://127.0.0.1:{refusing_port}")) is T


def test_no_answer_comes_in_time(call: Call, hanging_port: int) -> None:
    assert classify(failure_of(call, f"http://127.0.0.1:{hanging_port}", seconds=0.2)) is T


def test_the_server_hangs_up_before_its_answer(call: Call, closing_port: int) -> None:
    assert classify(failure_of(call, f"http://127.0.0.1:{closing_port}")) is T


def test_the_server_hangs_up_within_its_answer(call: Call, half_answering_port: int) -> None:
    error = failure_of(call, f"http://127.0.0.1:{half_answering_port}")
    assert classify(error) is T, repr(error)


def test_a_handshake_that_is_cut_short_may_work_next_time(call: Call, closing_port: int) -> None:
    assert classify(failure_of(call, f"https://127.0.0.1:{closing_port}")) is T


def test_a_wrong_certificate_stays_wrong_however_deep_it_is_wrapped(call: Call, wrongly_certified_port: int) -> None:
    error = failure_of(call, f"https://127.0.0.1:{wrongly_certified_port}")
    assert classify(error) is P, repr(error)
