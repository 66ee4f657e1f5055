"""What a stranger says of a request's encoding."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.core.handlers.wsgi import WSGIRequest

from config.only_utf8 import WORDS, OnlyUtf8


def site(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """As far as Django reads a request before any page of ours can be shown."""
    request = WSGIRequest(environ)
    start_response("200 OK", [])
    return [repr((request.GET, request.POST)).encode()]


def answer(content_type: str, *, method: str = "POST", body: bytes = b"name=%ff") -> tuple[str, bytes]:
    """Status and body of the answer to a request of this content type."""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": "/no-such-page/",
        "QUERY_STRING": "q=%ff",
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
        "HTTP_HOST": "127.0.0.1",
    }
    setup_testing_defaults(environ)
    told: list[str] = []

    def start_response(status: str, headers: Any, exc_info: Any = None, /) -> Callable[[bytes], object]:
        told.append(status)
        return print

    chunks = OnlyUtf8(site)(environ, start_response)
    return told[0], b"".join(chunks)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("charset", ["base64", "undefined", "idna", "utf-16", "unicode_escape", "no-such-codec", ""])
def test_another_encoding_is_refused_with_a_sentence_whatever_python_makes_of_it(method: str, charset: str) -> None:
    status, body = answer(f"application/x-www-form-urlencoded; charset={charset}", method=method)
    assert status.startswith("415 ")
    assert body == WORDS


@pytest.mark.parametrize("content_type", ["text/plain; charset*=base64''%ff", "text/plain; charset*=undefined''%ff"])
def test_an_encoding_that_is_itself_encoded_is_refused_too(content_type: str) -> None:
    assert answer(content_type)[0].startswith("415 ")


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "application/x-www-form-urlencoded",
        "application/x-www-form-urlencoded; charset=UTF-8",
        'multipart/form-data; boundary=x; charset="utf-8"',
    ],
)
def test_a_request_in_utf_8_reaches_the_site(content_type: str) -> None:
    assert answer(content_type)[0].startswith("200 ")
