"""A page that sends people on without a redirect is followed like one."""

from __future__ import annotations

import time

import pytest

from snip.scan.page_refresh import where_it_goes


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
    ],
)
def test_browsers_forms_of_a_refresh_are_read(content: str) -> None:
    assert where_it_goes(refresh=content, page="") == "/next"
    quoted = content.replace('"', "&quot;")
    page = f'<html><head><meta charset=utf-8><META HTTP-EQUIV="Refresh" CONTENT="{quoted}">'
    assert where_it_goes(refresh="", page=page) == "/next"


@pytest.mark.parametrize("content", ["", "30", "30;", "x", "0;url="])
def test_a_page_that_only_loads_itself_anew_stays(content: str) -> None:
    assert where_it_goes(refresh=content, page=f'<meta http-equiv="refresh" content="{content}">') == ""


def test_half_a_page_and_no_page_are_read_as_far_as_they_go() -> None:
    assert where_it_goes(refresh="", page='<meta http-equiv="refresh" content="0;url=/x') == ""
    assert where_it_goes(refresh="", page="\x00<<>><!--") == ""


@pytest.mark.parametrize("trap", ["<![evil[", "<![", "<!>", "<!-->", "<?x>", "</>", "<a b='>"])
def test_odd_markup_stops_nothing(trap: str) -> None:
    where_it_goes(refresh="", page=trap * 3 + '<meta http-equiv="refresh" content="0;url=/next">')


def test_a_declaration_that_is_none_hides_nothing() -> None:
    assert where_it_goes(refresh="", page='<![x[><meta http-equiv="refresh" content="0;url=/next">') == "/next"


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "<![", "<!", "</", "<a b='", "<meta a=b ", "&#", "<script>", "<a\x00"]
)
def test_a_page_made_to_be_slow_is_read_in_no_time(piece: str) -> None:
    began = time.process_time()
    where_it_goes(refresh="", page=(piece * 65_536)[:65_536])
    assert time.process_time() - began < 1


def test_a_refresh_made_to_be_slow_is_read_in_no_time() -> None:
    began = time.process_time()
    for content in (" " * 65_536, "0" * 32_768 + "." * 32_768, "0;" + " " * 65_536, "0; url" + " " * 65_536):
        where_it_goes(refresh=content, page="")
    assert time.process_time() - began < 1
