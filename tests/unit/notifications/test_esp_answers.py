"""What the ESP's answers mean for the next attempt."""

from __future__ import annotations

import json

import pytest
import requests
from anymail.exceptions import (
    AnymailInvalidAddress,
    AnymailRequestsAPIError,
    AnymailUnsupportedFeature,
)

from jobs.errors import PermanentError, RateLimited, TransientError
from notifications.channels.email.failures import QUOTA_RETRY_AFTER, is_taken_already, meaning_of
from notifications.errors import BadAddress, LargerThanTaken, MessageRefused


def answered(status: int, name: str = "", message: str = "", **headers: str) -> AnymailRequestsAPIError:
    response = requests.Response()
    response.status_code, response.reason = status, "Reason"
    response._content = json.dumps({"statusCode": status, "name": name, "message": message}).encode()
    response.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return AnymailRequestsAPIError(response=response)


@pytest.mark.parametrize(
    ("status", "name", "becomes"),
    [
        (400, "validation_error", PermanentError),
        (401, "missing_api_key", TransientError),
        (403, "invalid_api_key", TransientError),
        (403, "validation_error", TransientError),
        (404, "not_found", TransientError),
        (405, "method_not_allowed", TransientError),
        (408, "", TransientError),
        (409, "concurrent_idempotent_requests", TransientError),
        (409, "invalid_idempotent_request", PermanentError),
        (413, "", LargerThanTaken),
        (422, "missing_required_field", PermanentError),
        (425, "", TransientError),
        (429, "rate_limit_exceeded", RateLimited),
        (451, "security_error", PermanentError),
        (500, "application_error", TransientError),
        (503, "", TransientError),
        (302, "", TransientError),
        (200, "", TransientError),
    ],
)
def test_each_answer_has_its_meaning(status: int, name: str, becomes: type[Exception]) -> None:
    assert isinstance(meaning_of(answered(status, name)), becomes)


def test_only_a_key_that_was_used_for_another_text_says_that_the_mail_is_out() -> None:
    assert is_taken_already(answered(409, "invalid_idempotent_request"))
    assert not is_taken_already(answered(409, "concurrent_idempotent_requests"))
    assert not is_taken_already(AnymailRequestsAPIError())


@pytest.mark.parametrize(
    ("name", "headers", "seconds"),
    [
        ("rate_limit_exceeded", {"Retry_After": "7"}, 7),
        ("rate_limit_exceeded", {}, None),
        ("daily_quota_exceeded", {}, QUOTA_RETRY_AFTER),
        ("monthly_quota_exceeded", {"Retry_After": "50"}, 50),
        ("rate_limit_exceeded", {"Retry_After": "soon"}, None),
    ],
)
def test_a_429_says_how_long(name: str, headers: dict[str, str], seconds: float | None) -> None:
    meaning = meaning_of(answered(429, name, **headers))
    assert isinstance(meaning, RateLimited)
    assert meaning.retry_after == seconds


def test_no_address_is_quoted() -> None:
    said = str(meaning_of(answered(422, "validation_error", "Invalid `to`: <ada@example.org>,\nbob@x.example")))
    assert said == "The mail provider answered 422: Invalid `to`: <[address]>, [address]"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"text"', b'{"message": null}', b"[" * 100_000], ids=range(6))
def test_an_answer_that_is_no_error_of_the_esp_is_read_by_its_status(body: bytes) -> None:
    error = answered(502)
    error.response._content = body
    assert str(meaning_of(error)) == "The mail provider answered 502: Reason"


def test_what_anymail_itself_refuses_is_final() -> None:
    assert isinstance(meaning_of(AnymailInvalidAddress("Invalid email address 'ada@'")), BadAddress)
    refused = meaning_of(AnymailUnsupportedFeature("Resend does not support ada@example.org\nand more"))
    assert isinstance(refused, MessageRefused)
    assert "ada@" not in str(refused)
