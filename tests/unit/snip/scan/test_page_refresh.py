"""A page that sends people on without a redirect is followed like one."""

from __future__ import annotations

import contextlib
import time

import pytest

from snip.scan.page_refresh import MOST_TAGS, where_it_goes
from snip.scan.refusals import Reason, Refused

HERE = "https://site.example.com/a/page"
META = '<meta http-equiv=refresh content="0;url=/next">'


def goes(*refreshes: str, page: str = "") -> str:
    """Where a page that is ``HERE`` leads, without the site."""
    return where_it_goes(address=HERE, refreshes=refreshes, page=page).removeprefix("https://site.example.com")


@pytest.mark.parametrize(
    "content",
    [
        "0;url=/next",
        "0; URL=/next",
        "5 ; url = '/next'",
        '0;url="/next"',
        "0,/next",
        ";url=/next",
        "0 url=/next",
        "0;/next",
        "0;url=../next",
    ],
)
def test_browsers_forms_of_a_refresh_are_read(content: str) -> None:
    assert goes(content) == "/next"
    quoted = content.replace('"', "&quot;")
    assert goes(page=f'<html><head><meta charset=utf-8><META HTTP-EQUIV="Refresh" CONTENT="{quoted}">') == "/next"


@pytest.mark.parametrize("content", ["", "30", "30;", "x", "0;url="])
def test_a_page_that_only_loads_itself_anew_stays(content: str) -> None:
    assert goes(content, page=f'<meta http-equiv="refresh" content="{content}">') == ""


def test_half_a_page_and_no_page_are_read_as_far_as_they_go() -> None:
    assert goes(page='<meta http-equiv="refresh" content="0;url=/x') == ""
    assert goes(page="\x00<<>><!--") == ""


@pytest.mark.parametrize(
    "before",
    [
        *("<![evil[", "<![", "<!>", "<!-->", "<!--->", "<!-- --!>", "<?x>", "</>", "<a b='>", "<![x[>", "<"),
        *("<script></script/>", "<script></script x=1>", "<svg><script>", "<svg><style>", '<!doctype html [<!x "'),
        *("<script>'<!--'</script>", "<title>", "<textarea>", "<noscript>", "<xmp>", "<!--"),
    ],
)
def test_nothing_that_stands_before_a_tag_hides_it(before: str) -> None:
    assert goes(page=before * 3 + META) == "/next"


@pytest.mark.parametrize(
    "tag",
    [
        '<meta/http-equiv="refresh"/content="0;url=/next"/>',
        '<meta http-equiv="refresh"content="0;url=/next">',
        "<meta\nhttp-equiv\n=\nrefresh\ncontent\n=\n'0;url=/next'>",
        '<meta\fhttp-equiv=refresh\fcontent="0;url=/next">',
        '<meta = http-equiv=refresh content="0;url=/next">',
        '<meta " http-equiv=refresh content="0;url=/next">',
        '<meta x=">" http-equiv=refresh content="0;url=/next">',
        '<meta x="<meta" http-equiv=refresh content="0;url=/next">',
        '<meta http-equiv="&#114;efresh" content="0;&#117;rl=/next">',
        '<meta http-equiv=refresh content="0;url=/next" http-equiv=x content=y>',
        '<html:meta http-equiv=refresh content="0;url=/next"/>',
        "<meta http-equiv=refresh content=0;url=/next>",
    ],
)
def test_a_tag_is_read_however_oddly_it_is_written(tag: str) -> None:
    assert goes(page=tag) == "/next"


@pytest.mark.parametrize(
    "pages",
    [
        (("0;url=/next",), '<meta http-equiv=refresh content="0;url=/other">'),
        (("0;url=/next", "0;url=/other"), ""),
        ((), META + '<meta http-equiv=refresh content="0;url=/other">'),
        ((), '<base href="https://other.example.com/">' + META),
        ((), META + '<BASE HREF="//other.example.com/">'),
        ((), "<meta a>" * (MOST_TAGS + 1)),
        ((), "<meta" + " a" * 200 + ">"),
        ((), '<meta http-equiv=refresh content="0;url=///other.example.com">'),
    ],
)
def test_a_page_that_could_lead_to_several_is_refused(pages: tuple[tuple[str, ...], str]) -> None:
    with pytest.raises(Refused) as refused:
        goes(*pages[0], page=pages[1])
    assert refused.value.reason is Reason.UNCLEAR


def test_what_says_the_same_twice_is_clear() -> None:
    assert goes("0;url=/next", page=META + '<base href="/b/">' + META) == "/next"


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<!--", "<![", "<!", "</", "<a b='", "<meta a=b ", "<meta a=' ", "<base/", "&#", "<script>", "<a\x00"],
)
def test_a_page_made_to_be_slow_is_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    for page in ((piece * 65_536)[:65_536], (piece * 400)[:65_536] + "=" * 60_000, (piece * 400) + " " * 60_000):
        with contextlib.suppress(Refused):
            goes(page=page)
    assert time.process_time() - began < 1


def test_a_refresh_made_to_be_slow_is_read_in_no_time() -> None:
    began = time.process_time()
    for content in (" " * 65_536, "0" * 32_768 + "." * 32_768, "0;" + " " * 65_536, "0; url" + " " * 65_536):
        goes(content)
    assert time.process_time() - began < 1
