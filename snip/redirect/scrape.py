"""``/metrics`` of the redirect, whose address is public: only to whoever bears METRICS_TOKEN, to nobody without one."""

from __future__ import annotations

from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from jobs.scrape.access import bears_the_token
from jobs.scrape.processes import counted
from snip.redirect.answers import Answer, plain
from snip.redirect.visitor import Headers

_NOT_YOU = plain(401, "Send the token of METRICS_TOKEN as a bearer.\n", (b"www-authenticate", b"Bearer"))


def metrics_page(*, headers: Headers) -> Answer:
    """Return what this host's processes have counted. Reads files: call it in a thread."""
    authorization = next((value for name, value in headers if name == b"authorization"), b"")
    if not bears_the_token(authorization.decode("latin-1")):
        return _NOT_YOU
    with counted() as processes:
        return plain(200, generate_latest(processes).decode(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
