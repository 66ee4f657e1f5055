"""One request to an address that has been checked, and as much of the answer as is needed to see where it leads.

Guarantee: the connection goes to the given address and to no other; the name stands in the Host header, in TLS and in
the certificate alone. No proxy of the environment, no cookie, no referrer, no redirect. Time and size are bounded for
the whole exchange, however slowly the other side drips.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from dataclasses import dataclass
from email.errors import FirstHeaderLineIsContinuationDefect, InvalidHeaderDefect, MissingHeaderBodySeparatorDefect
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any

from jobs.errors import TransientError
from snip.scan.addresses import Address
from snip.scan.policy import Policy
from snip.scan.refusals import Reason, Refused
from snip.scan.targets import Target

HEADERS = {
    "User-Agent": "BoxOffice-LinkScanner/1 (+looks once at the target of a short link)",
    "Accept": "text/html,*/*;q=0.5",
    "Accept-Encoding": "identity",
    "Connection": "close",
}

REDIRECTS = (300, 301, 302, 303, 307, 308)
"""Some browsers follow 300 too."""

READ_OTHERWISE = (FirstHeaderLineIsContinuationDefect, InvalidHeaderDefect, MissingHeaderBodySeparatorDefect)
"""Lines among the headers after which we see none of the others, and browsers do."""

MOST_CONNECTIONS = 3
"""Addresses of one name that are tried, one after the other."""


class Unreachable(TransientError):
    """The site did not answer. It is asked again later."""


@dataclass(frozen=True)
class Answer:
    """status: HTTP's. locations: of a redirect, and of nothing else. refreshes: headers. page: its beginning, of what
    browsers show as HTML.
    """

    status: int
    locations: tuple[str, ...] = ()
    refreshes: tuple[str, ...] = ()
    page: str = ""


def ask(
    target: Target, addresses: list[Address], *, policy: Policy, until: float, trust: ssl.SSLContext | None = None
) -> Answer:
    """GET ``target`` from the first of its checked ``addresses`` that takes the connection.

    until: the end of the scan, on the monotonic clock. trust: whose certificates count; the system's when None.
    Raises Refused for a certificate that browsers would warn of, and Unreachable for whatever may pass.
    """
    try:
        with _connect(target, addresses, policy=policy, until=until, trust=trust) as connected:
            return _exchange(target, connected, policy=policy, until=until)
    except ssl.SSLCertVerificationError:
        raise Refused(Reason.CERTIFICATE) from None
    except (OSError, HTTPException, ValueError) as failed:
        raise Unreachable(f"{target.host}: {type(failed).__name__}: {failed}"[:300]) from failed


def _connect(
    target: Target, addresses: list[Address], *, policy: Policy, until: float, trust: ssl.SSLContext | None
) -> socket.socket:
    failed: OSError = OSError("no address")
    for address in addresses[:MOST_CONNECTIONS]:
        # Whoever calls has checked them. This is the last door before the network, and it looks once more.
        if not policy.may_ask(address):
            raise Refused(Reason.NOT_PUBLIC)
        try:
            seconds = min(_left(until), policy.connect_seconds)
            connected = socket.create_connection((str(address), target.port), timeout=seconds)
        except OSError as refused:
            failed = refused
            continue
        if target.scheme == "http":
            return connected
        connected.settimeout(_left(until))
        try:
            return (trust or ssl.create_default_context()).wrap_socket(connected, server_hostname=target.host)
        except BaseException:
            connected.close()
            raise
    raise failed


def _exchange(target: Target, connected: socket.socket, *, policy: Policy, until: float) -> Answer:
    request = HTTPConnection(target.host, target.port)
    request.sock = _Bounded(connected, until=until, most=policy.head_bytes + policy.body_bytes)
    request.putrequest("GET", target.path, skip_accept_encoding=True, skip_host=True)
    request.putheader("Host", target.address.split("/")[2])
    for name, value in HEADERS.items():
        request.putheader(name, value)
    request.endheaders()
    with request.getresponse() as response:
        if any(isinstance(defect, READ_OTHERWISE) for defect in response.headers.defects):
            raise Refused(Reason.UNCLEAR)
        locations = _said(response, "Location") if response.status in REDIRECTS else ()
        return Answer(
            status=response.status,
            locations=locations,
            refreshes=_said(response, "Refresh"),
            page=_beginning(response, policy.body_bytes) if not locations and _is_shown_as_html(response) else "",
        )


def _said(response: HTTPResponse, header: str) -> tuple[str, ...]:
    """Each value of the header once, but for empty ones, which browsers pass over."""
    return tuple(dict.fromkeys(_readable(value) for value in response.headers.get_all(header, ()) if value.strip()))


def _is_shown_as_html(response: HTTPResponse) -> bool:
    """Whatever its status; also what has no type, or none that browsers know, since they guess then."""
    kinds = [said.partition(";")[0].strip().lower() for said in response.headers.get_all("Content-Type", [""])]
    return any(kind in ("text/html", "*/*") or kind.endswith(("xml", "/unknown")) or "/" not in kind for kind in kinds)


def _beginning(response: HTTPResponse, most: int) -> str:
    """What is there of the page, also where the other side breaks off in the middle."""
    read = b""
    try:
        while len(read) < most and (more := response.read(min(8192, most - len(read)))):
            read += more
    except (OSError, HTTPException, ValueError):
        if not read:
            raise
    return _text(read, said=" ".join(response.headers.get_all("Content-Type", ())).lower())


def _text(raw: bytes, *, said: str) -> str:
    """As browsers read it: by its mark, else by the charset that ``said`` names, if tags look different by it."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or "utf-16" in said:
        is_big = raw.startswith(b"\xfe\xff") or ("utf-16be" in said and not raw.startswith(b"\xff\xfe"))
        return raw.decode("utf-16-be" if is_big else "utf-16-le", "replace")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _readable(header: str) -> str:
    """Headers come as Latin-1; some servers write UTF-8 into them, and browsers read it."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("The time for this scan is over.")
    return left


class _Bounded:
    """A socket for ``http.client`` whose every read ends when the time of the scan does, or its share of bytes."""

    def __init__(self, connected: socket.socket, *, until: float, most: int) -> None:
        self._connected, self._until, self._most = connected, until, most

    def sendall(self, data: bytes) -> None:
        self._connected.settimeout(_left(self._until))
        self._connected.sendall(data)

    def makefile(self, mode: str, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self._connected, until=self._until, most=self._most))

    def close(self) -> None:
        """Who connected closes."""


class _Reader(io.RawIOBase):
    def __init__(self, connected: socket.socket, *, until: float, most: int) -> None:
        self._connected, self._until, self._left = connected, until, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._left <= 0:
            raise ValueError("The answer is longer than is read of one.")
        self._connected.settimeout(_left(self._until))
        got = self._connected.recv_into(buffer, min(len(buffer), self._left))
        self._left -= got
        return got
