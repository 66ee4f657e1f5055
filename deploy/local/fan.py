"""A fan without a browser: follows links, fills in forms, keeps cookies. It knows the pages, not the code."""

from __future__ import annotations

import http.cookiejar
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from html.parser import HTMLParser

from deploy.local.errors import LocalError

TIMEOUT_SECONDS = 30


class PurchaseFailed(LocalError):
    """A page did not let the fan go on. The message says which one, and what it answered."""


@dataclass
class Form:
    """A form of a page: where it goes, what it sends unasked, and the boxes that may be ticked."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    boxes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """What came back, at which address, and how long it took to come, in milliseconds."""

    url: str
    status: int
    headers: dict[str, str]
    text: str
    milliseconds: float

    @property
    def forms(self) -> list[Form]:
        return _Reader(self).forms

    @property
    def links(self) -> list[str]:
        return _Reader(self).links

    def form_with(self, name: str) -> Form | None:
        """The first form with such a field or box."""
        return next((form for form in self.forms if name in form.fields or name in dict(form.boxes)), None)


class Fan:
    """One visitor with cookies of his own."""

    def __init__(self, site: str) -> None:
        self._site = site
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies, _Redirects)

    def get(self, address: str) -> Page:
        return self._open(urllib.request.Request(urllib.parse.urljoin(self._site, address)))

    def send(self, form: Form, *chosen: tuple[str, str], page: Page) -> Page:
        """Send the form with what was typed and ticked. The answer's redirect is not followed: see ``follow``."""
        values = {**form.fields, **{name: value for name, value in chosen if (name, value) not in form.boxes}}
        ticked = [pair for pair in chosen if pair in form.boxes]
        body = urllib.parse.urlencode([*values.items(), *ticked]).encode()
        at = urllib.parse.urlsplit(page.url)
        headers = {"Referer": page.url, "Origin": f"{at.scheme}://{at.netloc}"}
        return self._open(urllib.request.Request(form.action, data=body, headers=headers))

    def follow(self, page: Page) -> Page:
        """Go where the answer sends. Raises PurchaseFailed when it sends nowhere."""
        if page.status not in (302, 303) or "location" not in page.headers:
            raise PurchaseFailed(f"{page.url} answered {page.status} and leads nowhere:\n{page.text[:2000]}")
        return self.get(urllib.parse.urljoin(page.url, page.headers["location"]))

    def _open(self, request: urllib.request.Request) -> Page:
        start = time.perf_counter()
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                body, answer = response.read(), response
        except urllib.error.HTTPError as error:
            body, answer = error.read(), error
        milliseconds = (time.perf_counter() - start) * 1000
        headers = {name.lower(): value for name, value in answer.headers.items()}
        text = body.decode("utf-8", errors="replace")
        return Page(request.full_url, int(answer.status or 0), headers, text, milliseconds)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Shows redirects instead of following them, so that each answer's headers and time can be read."""

    def redirect_request(self, *args: object, **options: object) -> None:
        return None


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._url = page.url
        self._open_form: Form | None = None
        self.feed(page.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "a" and "href" in given:
            self.links.append(urllib.parse.urljoin(self._url, given["href"]))
        elif tag == "form":
            self._open_form = Form(urllib.parse.urljoin(self._url, given.get("action", "")))
            self.forms.append(self._open_form)
        elif tag == "input" and self._open_form and "name" in given and "disabled" not in given:
            if given.get("type") in ("checkbox", "radio"):
                self._open_form.boxes.append((given["name"], given.get("value", "on")))
            else:
                self._open_form.fields[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open_form = None
