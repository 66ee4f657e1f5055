"""Requests in another encoding than UTF-8 are turned away before Django reads them.

A request may name its encoding, and Django takes whatever codec Python has, among them "base64" and "idna", which
decode no text. It stumbles over them while it makes the request, or once more while it makes the page that tells of
the error: then no page of ours is shown at all. Browsers send our forms in UTF-8, the encoding of the pages.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.http import parse_header_parameters

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

WORDS = b"This request names an encoding other than UTF-8, and nothing was changed. Send it again in UTF-8.\n"
_HEADERS = [
    ("Content-Type", "text/plain; charset=utf-8"),
    ("Content-Length", str(len(WORDS))),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
]


class OnlyUtf8:
    """Passes a request on to ``application`` when it is in UTF-8, or says nothing of its encoding; else answers 415."""

    def __init__(self, application: WSGIApplication) -> None:
        self.application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if _is_utf8(environ.get("CONTENT_TYPE", "")):
            return self.application(environ, start_response)
        start_response("415 Unsupported Media Type", list(_HEADERS))
        return [WORDS]


def _is_utf8(content_type: str) -> bool:
    try:
        charset = parse_header_parameters(content_type)[1].get("charset", "utf-8")
    except (LookupError, ValueError):  # the charset is written in an encoding of its own (RFC 2231)
        return False
    return charset.lower() in {"utf-8", "utf8"}
