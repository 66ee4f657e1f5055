"""What is said about a target before its name is looked up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snip.scan.join import join
from snip.scan.policy import Policy
from snip.scan.refusals import Refused
from snip.scan.targets import OwnPage, Target, read_target
from tests.unit.snip.scan.hostile_targets import HOSTILE, HOSTILE_ONWARDS

POLICY = Policy(own_site="https://tickets.example.org", short_site="https://go.example.org")

HARMLESS = (
    ("https://example.com", "https://example.com/"),
    ("HTTPS://Example.COM:443/A?b=c#d", "https://example.com/A?b=c"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com?utm_source=x", "https://example.com/?utm_source=x"),
    ("https://example.com/a%20b/%C3%A4?x=1&y=2+3", "https://example.com/a%20b/%C3%A4?x=1&y=2+3"),
    ("https://example.com/@somebody", "https://example.com/@somebody"),
    ("https://example.com/https://other.example", "https://example.com/https://other.example"),
    ("https://müller.de/größe?ü=ö", "https://xn--mller-kva.de/gr%C3%B6%C3%9Fe?%C3%BC=%C3%B6"),
    ("https://straße.de/", "https://xn--strae-oqa.de/"),
    ("https://пример.рф/", "https://xn--e1afmkfd.xn--p1ai/"),
    ("https://日本語.jp/", "https://xn--wgv71a119e.jp/"),
    ("https://ελλάδα.gr/", "https://xn--hxakic4aa.gr/"),
    ("https://ışık.com.tr/", "https://xn--k-ekaa7p.com.tr/"),
    ("https://1password.com/", "https://1password.com/"),
    ("https://127.0.0.1.example.com/", "https://127.0.0.1.example.com/"),
    ("https://tickets.example.org.evil.example.net/", "https://tickets.example.org.evil.example.net/"),
    ("http://tickets.example.org/", "http://tickets.example.org/"),
    ("https://nogo.example.org/", "https://nogo.example.org/"),
)


@pytest.mark.parametrize(("text", "reason"), HOSTILE, ids=[ascii(text)[:60] for text, _ in HOSTILE])
def test_a_hostile_target_is_refused_for_what_it_is(text: str, reason: object) -> None:
    with pytest.raises(Refused) as refused:
        read_target(text, policy=POLICY)
    assert refused.value.reason is reason


@pytest.mark.parametrize(("said", "reason"), HOSTILE_ONWARDS, ids=[ascii(said)[:60] for said, _ in HOSTILE_ONWARDS])
def test_what_an_answer_says_is_refused_where_browsers_would_go_elsewhere(said: str, reason: object) -> None:
    with pytest.raises(Refused) as refused:
        read_target(join("http://site.example.com/a/b", said), policy=POLICY)
    assert refused.value.reason is reason


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("/next", "http://site.example.com/next"),
        ("next?x=//y", "http://site.example.com/a/next?x=//y"),
        ("?x", "http://site.example.com/a/b?x"),
        ("//example.com", "http://example.com/"),
        (" https://example.com/a///b ", "https://example.com/a///b"),
        ("http:/next", "http://site.example.com/next"),
    ],
)
def test_what_an_answer_says_is_read_as_browsers_read_it(said: str, address: str) -> None:
    target = read_target(join("http://site.example.com/a/b", said), policy=POLICY)
    assert isinstance(target, Target)
    assert target.address == address


def test_the_table_is_long_and_lists_nothing_twice() -> None:
    assert len({text for text, _ in HOSTILE}) == len(HOSTILE) > 200


@pytest.mark.parametrize(("text", "address"), HARMLESS)
def test_a_harmless_target_is_read_as_browsers_read_it(text: str, address: str) -> None:
    target = read_target(text, policy=POLICY)
    assert isinstance(target, Target)
    assert target.address == address
    assert read_target(address, policy=POLICY) == target


@pytest.mark.parametrize("path", ["", "/", "/shows/7", "/x/../shows", "?q=1"])
def test_a_page_of_our_own_needs_no_request(path: str) -> None:
    assert read_target(f"https://tickets.example.org{path}", policy=POLICY) == OwnPage()


@pytest.mark.parametrize("path", ["/s", "/s/abc", "/x/../s/abc", "/%73/abc", "//s/abc", "/./s/abc"])
def test_a_short_link_is_found_on_whatever_way_its_path_is_written(path: str) -> None:
    policy = Policy(own_site="https://tickets.example.org", short_site="https://tickets.example.org/s")
    with pytest.raises(Refused, match="SHORT_LINK"):
        read_target(f"https://tickets.example.org{path}", policy=policy)


@given(st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused_and_nothing_else_happens(text: str) -> None:
    for target in (text, f"https://{text}", f"https://example.com/{text}", f"http://{text}.com"):
        try:
            found = read_target(target, policy=POLICY)
        except Refused:
            continue
        if isinstance(found, Target):
            assert found.address.isascii()
            assert read_target(found.address, policy=POLICY) == found
