"""A scan against a real server of this machine: where it never goes."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace

import pytest

from snip.scan.follow import Found, Scanner
from snip.scan.policy import Policy
from snip.scan.refusals import Reason, Refused
from tests.fixtures_link_scanner import HostileWeb, Names, Play, answering
from tests.scanned_targets import HTML, at, why
from tests.unit.snip.scan.hostile_targets import HOSTILE, HOSTILE_ONWARDS


@pytest.fixture
def never_asked() -> Iterator[socket.socket]:
    """A port of 127.0.0.2, inside of the network: nobody may connect to it."""
    listener = socket.create_server(("127.0.0.2", 0))
    yield listener
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()


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
