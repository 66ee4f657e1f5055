"""Where a page leads on to without a redirect's status: the header Refresh, and ``<meta http-equiv="refresh">``. Pure.

What a script does is not seen.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

_REFRESH = re.compile(r"\s*[0-9.]*\s*[;,\s]\s*(?:url\s*=\s*)?(?P<to>.*)", re.I | re.S)
"""``0; url=https://…``, with or without quotes; without an address the page only loads itself anew."""


def where_it_goes(*, refresh: str, page: str) -> str:
    """The address, absolute or not, that a browser goes on to by itself; empty where it stays."""
    if to := _to(refresh):
        return to
    reader = _Refreshes()
    reader.feed(page)
    return next((to for content in reader.found if (to := _to(content))), "")


def _to(content: str) -> str:
    found = _REFRESH.fullmatch(content)
    to = found["to"].strip() if found else ""
    return to[1:].partition(to[0])[0] if to[:1] in ("'", '"') else to


class _Refreshes(HTMLParser):
    """Collects the content of each refresh of a page, also of one inside ``<noscript>``."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def parse_html_declaration(self, i: int) -> int:
        """As browsers do: ``<![`` begins a comment to the next ``>``. The parser would raise an AssertionError."""
        return self.parse_bogus_comment(i) if self.rawdata.startswith("<![", i) else super().parse_html_declaration(i)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        if tag == "meta" and (said.get("http-equiv") or "").strip().lower() == "refresh":
            self.found.append(said.get("content") or "")
