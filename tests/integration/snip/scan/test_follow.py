"""A scan against a real server of this machine: where it goes."""

from __future__ import annotations

import pytest

from snip.scan.ask import Unreachable
from snip.scan.follow import Found, NotWell, Scanner
from snip.scan.refusals import Reason
from tests.fixtures_link_scanner import HostileWeb, Names, answering
from tests.scanned_targets import HTML, at, why


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
