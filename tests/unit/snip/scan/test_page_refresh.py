"""A page that sends people on without a redirect is followed like one."""

from __future__ import annotations

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
