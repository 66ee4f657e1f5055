"""A scan against a real server of this machine: where it goes, and where it never goes."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from snip.scan import resolve
from snip.scan.ask import Unreachable
from snip.scan.follow import Found, NotWell, Scanner
from snip.scan.policy import Policy
from snip.scan.refusals import Reason, Refused
from snip.scan.resolve import NameUnanswered, NameUnknown, ask_system
from tests.fixtures_link_scanner import HostileWeb, Names, Play, answering
from tests.processes import wait_for_end
from tests.unit.snip.scan.hostile_targets import HOSTILE, HOSTILE_ONWARDS

HTML = "text/html"


@pytest.fixture
def never_asked() -> Iterator[socket.socket]:
    """A port of 127.0.0.2, inside of the network: nobody may connect to it."""
    listener = socket.create_server(("127.0.0.2", 0))
    yield listener
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()


def why(scanner: Scanner, target: str) -> tuple[Reason, int]:
    with pytest.raises(Refused) as refused:
        scanner.follow(target)
    return refused.value.reason, refused.value.hop


def at(web: HostileWeb, path: str = "/", host: str = "site.example.com") -> str:
    return f"http://{host}:{web.port}{path}"


# Where it never goes


def test_a_name_that_leads_inside_is_refused_and_the_server_there_sees_no_request(
    hostile_web: HostileWeb, scanned_names: Names
) -> None:
    hostile_web.pages["/"] = answering(200)
    inside = ["127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.169.254", "fd00::1", "fe80::1%lo"]
    inside += ["64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001:0:7f00:1::", "::127.0.0.1", "127.1", "x"]
    scanner = Scanner(
        policy=Policy(ports=frozenset({hostile_web.port})), is_blocked=lambda _: False, resolver=scanned_names
    )
    for address in inside:
        scanned_names.answers["site.example.com"] = [[address]]
        assert why(scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 0)
        scanned_names.answers["site.example.com"] = [["93.184.215.14", address]]
        assert why(scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 0)
    assert hostile_web.seen == []


def test_no_spelling_of_this_machine_reaches_its_server(hostile_web: HostileWeb, scanned_names: Names) -> None:
    policy = Policy(ports=frozenset({hostile_web.port}))
    scanner = Scanner(policy=policy, is_blocked=lambda _: False, resolver=scanned_names)
    hosts = ("127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "[::1]", "[::ffff:7f00:1]", "localhost")
    for host in hosts:
        with pytest.raises(Refused):
            scanner.follow(f"http://{host}:{hostile_web.port}/")
    assert hostile_web.seen == []
    assert scanned_names.asked == []


def test_a_redirect_is_checked_like_the_target_before_anything_is_asked_of_it(
    hostile_web: HostileWeb, allowed_scanner: Scanner, scanned_names: Names, never_asked: socket.socket
) -> None:
    port = never_asked.getsockname()[1]
    scanner = replace(
        allowed_scanner, policy=replace(allowed_scanner.policy, ports=frozenset({hostile_web.port, port}))
    )
    scanned_names.answers["inside.example.com"] = [["127.0.0.2"]]
    hostile_web.pages["/"] = answering(302, Location=f"http://inside.example.com:{port}/admin")
    assert why(scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 1)
    hostile_web.pages["/"] = answering(302, Location=f"http://127.0.0.2:{port}/admin")
    assert why(scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 1)
    hostile_web.pages["/"] = answering(
        200, b'<meta http-equiv=refresh content="0;url=http://127.0.0.2/">', content_type=HTML
    )
    assert why(scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 1)


def test_a_second_look_up_that_would_lead_inside_does_not_happen(
    hostile_web: HostileWeb, allowed_scanner: Scanner, scanned_names: Names, never_asked: socket.socket
) -> None:
    scanned_names.answers["site.example.com"] = [["127.0.0.1"], ["127.0.0.2"]]
    hostile_web.pages["/"] = answering(200)
    allowed_scanner.follow(at(hostile_web))
    assert scanned_names.asked == ["site.example.com"]
    # And the next hop to the same name, which is looked up anew, is checked anew.
    scanned_names.answers["site.example.com"] = [["127.0.0.1"], ["127.0.0.2"]]
    hostile_web.pages["/"] = answering(302, Location="/next")
    assert why(allowed_scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 1)
    assert [path for path, _ in hostile_web.seen] == ["/", "/"]


def test_every_hostile_target_is_refused_as_a_redirect_too(hostile_web: HostileWeb, allowed_scanner: Scanner) -> None:
    targets = [(target, reason) for target, reason in HOSTILE if fits_a_header(target) and "://" in target]
    wrong = {}
    for target, reason in (*targets, *((said, reason) for said, reason in HOSTILE_ONWARDS if fits_a_header(said))):
        hostile_web.pages["/"] = answering(302, Location=target)
        found, hop = why(allowed_scanner, at(hostile_web))
        # What a header's value is when it arrives, without blanks around; and browsers' way with many slashes.
        if hop != 1 or (target == target.strip() and found not in (reason, Reason.HOST, Reason.UNCLEAR)):
            wrong[target] = (found, hop)
    assert wrong == {}
    assert {path for path, _ in hostile_web.seen} == {"/"}


def fits_a_header(target: str) -> bool:
    return target.isascii() and target.isprintable()


def test_where_browsers_would_go_is_seen_in_answers_of_all_kinds(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    page = b"<meta http-equiv=refresh content='0;url=http://127.0.0.2/'>"
    shown = [
        answering(300, Location="http://127.0.0.2/"),
        *(answering(status, page, content_type=HTML) for status in (200, 302, 400, 401, 403, 429)),
        answering(200, page),  # browsers guess
        answering(200, page, content_type="html"),
        answering(200, page, content_type="application/xhtml+xml; charset=utf-8"),
        answering(200, b"\xff\xfe" + page.decode().encode("utf-16-le"), content_type=HTML),
        answering(200, page.decode().encode("utf-16-be"), content_type="text/html; charset=UTF-16BE"),
    ]
    for play in shown:
        hostile_web.pages["/"] = play
        assert why(allowed_scanner, at(hostile_web)) == (Reason.NOT_PUBLIC, 1)
    hostile_web.pages["/"] = answering(200, page, content_type="text/plain")
    assert allowed_scanner.follow(at(hostile_web)).hops == 0


def test_an_answer_that_browsers_read_in_several_ways_is_refused(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    def raw(*lines: str) -> Play:
        said = "\r\n".join(("HTTP/1.1 302 Found", *lines, "", "")).encode()
        return lambda request: request.wfile.write(said) and None

    for lines in (
        ("Location: /a", "Location: /b"),
        ("Location : /a",),
        ("no header", "Location: /a"),
        (" folded", "Location: /a"),
        ("Refresh: 0;url=/a", "Refresh: 0;url=/b"),
    ):
        hostile_web.pages["/"] = raw(*lines)
        assert why(allowed_scanner, at(hostile_web)) == (Reason.UNCLEAR, 0), lines
    hostile_web.pages |= {"/": raw("Location: /a", "Location: /a"), "/a": answering(200)}
    assert allowed_scanner.follow(at(hostile_web)) == Found(at(hostile_web, "/a"), 1)


def test_a_proxy_of_the_environment_is_not_used(
    hostile_web: HostileWeb, allowed_scanner: Scanner, monkeypatch: pytest.MonkeyPatch, never_asked: socket.socket
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.2:{never_asked.getsockname()[1]}")
    hostile_web.pages["/"] = answering(200)
    assert allowed_scanner.follow(at(hostile_web)) == Found(at(hostile_web), 0)


# Where it goes


def test_redirects_of_all_kinds_are_followed_to_the_page_where_they_end(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    hostile_web.pages |= {
        "/": answering(301, Location="/a?x=1#part"),
        "/a?x=1": answering(307, Location=at(hostile_web, "/b").removeprefix("http:")),
        "/b": answering(200, Refresh="0; url=c"),
        "/c": answering(200, b"<html><META http-equiv='Refresh' content='1;URL=d'>", content_type=HTML),
        "/d": answering(200, b"<html>", content_type=HTML),
    }
    assert allowed_scanner.follow(at(hostile_web)) == Found(at(hostile_web, "/d"), 4)
    assert [path for path, _ in hostile_web.seen] == ["/", "/a?x=1", "/b", "/c", "/d"]


def test_a_request_carries_the_name_and_nothing_that_tells_of_us_or_of_the_hop_before(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    hostile_web.pages |= {"/": answering(302, Location="/b", Set_Cookie="a=b"), "/b": answering(200)}
    allowed_scanner.follow(at(hostile_web))
    for _, headers in hostile_web.seen:
        assert headers["host"] == f"site.example.com:{hostile_web.port}"
        assert headers.keys() == {"host", "user-agent", "accept", "accept-encoding", "connection"}


def test_circles_long_ways_and_blocked_sites_end_the_scan(hostile_web: HostileWeb, allowed_scanner: Scanner) -> None:
    hostile_web.pages |= {"/": answering(302, Location="/b"), "/b": answering(302, Location="/")}
    assert why(allowed_scanner, at(hostile_web)) == (Reason.REDIRECT_LOOP, 2)
    hostile_web.pages |= {f"/{step}": answering(302, Location=f"/{step + 1}") for step in range(20)}
    assert why(allowed_scanner, at(hostile_web, "/0")) == (Reason.TOO_MANY_REDIRECTS, 5)
    assert len(hostile_web.seen) == 2 + 6
    hostile_web.pages["/"] = answering(302, Location="https://www.blocked.example.com/")
    assert why(allowed_scanner, at(hostile_web)) == (Reason.BLOCKED, 1)
    assert why(allowed_scanner, "https://blocked.example.com/") == (Reason.BLOCKED, 0)
    hostile_web.pages["/"] = answering(302, Location="https://go.example.org/abc")
    assert why(allowed_scanner, at(hostile_web)) == (Reason.SHORT_LINK, 1)


def test_a_page_that_loads_itself_anew_now_and_then_is_no_circle(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    hostile_web.pages["/"] = answering(200, b"<meta http-equiv=refresh content='300; url=/#now'>", content_type=HTML)
    assert allowed_scanner.follow(at(hostile_web)).address == at(hostile_web)
    assert len(hostile_web.seen) == 1


def test_our_own_pages_pass_without_a_request(hostile_web: HostileWeb, allowed_scanner: Scanner) -> None:
    own = "https://tickets.example.org/shows/7"
    assert allowed_scanner.follow(own) == Found(own, 0)
    hostile_web.pages["/"] = answering(302, Location=own)
    assert allowed_scanner.follow(at(hostile_web)) == Found(own, 1)


@pytest.mark.parametrize("status", [200, 204, 300, 304, 401, 403, 405, 429])
def test_a_site_that_answers_is_there_even_if_it_shows_nothing_to_programs(
    hostile_web: HostileWeb, allowed_scanner: Scanner, status: int
) -> None:
    hostile_web.pages["/"] = answering(status)
    assert allowed_scanner.follow(at(hostile_web)).hops == 0


def test_a_page_that_is_not_there_is_refused_and_a_site_that_fails_is_tried_again(
    hostile_web: HostileWeb, allowed_scanner: Scanner, scanned_names: Names
) -> None:
    assert why(allowed_scanner, at(hostile_web, "/gone")) == (Reason.NOT_FOUND, 0)
    assert why(allowed_scanner, "https://unknown.example.com/") == (Reason.NO_SUCH_SITE, 0)
    scanned_names.answers["empty.example.com"] = [[]]
    assert why(allowed_scanner, "https://empty.example.com/") == (Reason.NO_SUCH_SITE, 0)
    hostile_web.pages["/"] = answering(503)
    with pytest.raises(NotWell, match="503"):
        allowed_scanner.follow(at(hostile_web))
    hostile_web.close()
    with pytest.raises(Unreachable, match="refused"):
        allowed_scanner.follow(at(hostile_web))


# Time and size


def dripping(request: BaseHTTPRequestHandler) -> None:
    """One byte now and then, so that no single read ever waits long."""
    ended = time.monotonic() + 5
    try:
        while time.monotonic() < ended:
            request.wfile.write(b"H")
            time.sleep(0.02)
    except OSError:
        pass


def endless_head(request: BaseHTTPRequestHandler) -> None:
    request.wfile.write(b"HTTP/1.1 200 OK\r\n")
    pour(request, b"X-More: " + b"x" * 1000 + b"\r\n")


def endless_continue(request: BaseHTTPRequestHandler) -> None:
    pour(request, b"HTTP/1.1 100 Continue\r\n\r\n")


def pour(request: BaseHTTPRequestHandler, piece: bytes) -> None:
    try:
        for _ in range(100_000):
            request.wfile.write(piece)
    except OSError:
        pass


@pytest.mark.parametrize("play", [dripping, endless_head, endless_continue, lambda request: request.wfile.write(b"?")])
def test_an_answer_without_an_end_is_given_up_in_time(
    hostile_web: HostileWeb, allowed_scanner: Scanner, play: Play
) -> None:
    hostile_web.pages["/"] = play
    hasty = replace(allowed_scanner, policy=replace(allowed_scanner.policy, seconds=0.5))
    began = time.monotonic()
    with pytest.raises(Unreachable):
        hasty.follow(at(hostile_web))
    assert time.monotonic() - began < 4


def test_of_an_endless_page_the_beginning_is_read(hostile_web: HostileWeb, allowed_scanner: Scanner) -> None:
    def play(request: BaseHTTPRequestHandler) -> None:
        answering(200, b"<meta http-equiv=refresh content='0;url=/next'>", content_type=HTML)(request)
        pour(request, b"x" * 1000)

    hostile_web.pages |= {"/": play, "/next": answering(200)}
    assert allowed_scanner.follow(at(hostile_web)) == Found(at(hostile_web, "/next"), 1)


def test_a_bomb_is_not_unpacked_and_of_an_answer_a_share_is_read(
    hostile_web: HostileWeb, allowed_scanner: Scanner
) -> None:
    bomb = gzip.compress(b"x" * 50_000_000, 1)
    hostile_web.pages["/"] = answering(200, bomb, content_type=HTML, content_encoding="gzip")
    began = time.process_time()
    tracemalloc.start()
    try:
        allowed_scanner.follow(at(hostile_web))
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
    assert time.process_time() - began < 2


# Certificates


@pytest.fixture
def tls_port(tmp_path: Path) -> Iterator[tuple[int, Path, list[str | None]]]:
    """A TLS server for ``site.example.com``: its port, its certificate, and the names that it was asked for."""
    certificate = tmp_path / "site.pem"
    certificate.write_bytes(_certificate("site.example.com"))
    context, asked = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), list[str | None]()
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            try:
                with context.wrap_socket(connection, server_side=True) as secured:
                    secured.recv(4096)
                    secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            except OSError:
                connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield listener.getsockname()[1], certificate, asked
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    wait_for_end(thread)


def _certificate(name: str) -> bytes:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + signed.public_bytes(serialization.Encoding.PEM)


def test_the_certificate_is_asked_for_by_name_though_the_connection_goes_to_the_address(
    tls_port: tuple[int, Path, list[str | None]], scanned_names: Names
) -> None:
    port, certificate, asked = tls_port
    scanned_names.answers["other.example.com"] = [["127.0.0.1"]]
    policy = Policy(ports=frozenset({port}), networks=(ip_network("127.0.0.1/32"),), seconds=5)
    scanner = Scanner(policy=policy, is_blocked=lambda _: False, resolver=scanned_names)
    assert why(scanner, f"https://site.example.com:{port}/") == (Reason.CERTIFICATE, 0)
    trusting = replace(scanner, trust=ssl.create_default_context(cafile=str(certificate)))
    assert trusting.follow(f"https://site.example.com:{port}/").hops == 0
    assert asked == ["site.example.com"] * 2
    assert why(trusting, f"https://other.example.com:{port}/") == (Reason.CERTIFICATE, 0)


# Names


@pytest.mark.parametrize(
    ("failure", "raised"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no name"), NameUnknown),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), NameUnanswered),
        (OSError("out of files"), NameUnanswered),
        (UnicodeError("label too long"), NameUnanswered),
    ],
)
def test_a_name_that_nobody_knows_differs_from_one_that_nobody_could_look_up(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, raised: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    monkeypatch.setattr(resolve.socket, "getaddrinfo", fail)
    with pytest.raises(raised):
        ask_system("site.example.com", 2)


def test_a_look_up_that_hangs_is_not_waited_for_and_the_name_is_absolute(monkeypatch: pytest.MonkeyPatch) -> None:
    free, asked = threading.Event(), list[str]()

    def hang(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        free.wait(10)
        return []

    monkeypatch.setattr(resolve.socket, "getaddrinfo", hang)
    with pytest.raises(NameUnanswered, match="did not answer"):
        ask_system("site.example.com", 0.05)
    free.set()
    assert asked == ["site.example.com."]
