"""A call as somebody at the desk walks through it: what is pressed and typed is counted, and how long it takes."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from django.db import connections
from playwright.sync_api import Locator, Page, expect

T = TypeVar("T")

# The keystroke-level model of Card, Moran and Newell (1980), in seconds. An action takes thought, a hand and a mouse.
THINKS, POINTS, CLICKS, MOVES_THE_HAND, TYPES_ONE_KEY = 1.35, 1.1, 0.2, 0.4, 0.28

PATIENCE_MS = 45_000
"""Until a page says something. An idle machine needs two seconds, one with thirty other processes twenty."""


@dataclass
class Measured:
    """What one call took. presses: of the mouse or Enter. fields: typed into. keys: that were typed into them."""

    call: str
    presses: int = 0
    fields: int = 0
    keys: int = 0
    seconds: float = 0.0

    @property
    def clicks(self) -> int:
        """Presses and fields together."""
        return self.presses + self.fields

    @property
    def by_a_person(self) -> float:
        """Seconds that the model gives somebody who knows the way, and does not talk meanwhile."""
        press, type_into = THINKS + POINTS + CLICKS, THINKS + MOVES_THE_HAND
        return self.seconds + self.presses * press + self.fields * type_into + self.keys * TYPES_ONE_KEY


@dataclass
class Walk:
    """A browser's page in the hands of somebody at the desk. Presses go by what can be read on it, never by address."""

    page: Page
    desk: str
    measured: Measured
    began: float = 0.0

    def search(self, said: str) -> None:
        """Type it into the box above the orders, and press Enter. Here the call begins."""
        self.page.goto(f"{self.desk}/admin/boxoffice/order/")
        self.began = time.perf_counter()
        box = self.page.get_by_role("search").get_by_role("textbox")
        self._into(box, said)
        self._press(lambda: box.press("Enter"))

    def follow(self, name: str | re.Pattern[str], *, within: Locator | None = None) -> None:
        """Press a link."""
        link = (within or self.page.locator("body")).get_by_role("link", name=name)
        self._press(link.first.click)

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press a button."""
        self._press(self.page.get_by_role("button", name=name).click)

    def tick(self, label: str | re.Pattern[str]) -> None:
        """Tick a box or choose one of several; pressed a second time, a tick goes."""
        self._press(self.page.get_by_label(label).click)

    def fill(self, label: str, text: str) -> None:
        """Type into a field."""
        self._into(self.page.get_by_label(label, exact=True), text)

    def reads(self, *texts: str | re.Pattern[str]) -> None:
        """What the page says, soon and by itself. Reading is no click."""
        for text in texts:
            expect(self.page.locator("#main")).to_contain_text(text, timeout=PATIENCE_MS, use_inner_text=True)

    def reads_no_more(self, text: str | re.Pattern[str]) -> None:
        """What the page stops saying, soon and by itself."""
        expect(self.page.locator("#main")).not_to_contain_text(text, timeout=PATIENCE_MS, use_inner_text=True)

    def looks(self, name: str) -> None:
        """Keep pictures of the page where SHOTS names a folder, and beside it of how others see it: in both languages,
        on a telephone and at a desk. The clock stands meanwhile.
        """
        folder = os.environ.get("SHOTS")
        if not folder:
            return
        before = time.perf_counter()
        file = f"{folder}/{re.sub('[^a-z]+', '-', self.measured.call.lower()).strip('-')}-{name}"
        self.page.screenshot(path=f"{file}.png", full_page=True)
        beside = self.page.context.new_page()
        for language in ("de", "en"):
            self.page.context.add_cookies([{"name": "django_language", "value": language, "url": self.desk}])
            for width in (375, 1280):
                beside.set_viewport_size({"width": width, "height": 900})
                beside.goto(self.page.url)
                beside.screenshot(path=f"{file}-{width}-{language}.png", full_page=True)
                assert beside.evaluate("document.documentElement.scrollWidth") == width, (file, width, language)
        beside.close()
        self.began += time.perf_counter() - before

    def done(self) -> None:
        """The fan has his answer: the call ends."""
        self.measured.seconds = time.perf_counter() - self.began

    def _into(self, box: Locator, text: str) -> None:
        box.fill(text)
        self.measured.fields += 1
        self.measured.keys += len(text)

    def _press(self, press: Callable[[], None]) -> None:
        press()
        self.measured.presses += 1


def asked(question: Callable[[], T]) -> T:
    """The answer of the database while a browser is open, whose event loop forbids this thread to ask."""

    def ask() -> T:
        try:
            return question()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as other_thread:
        return other_thread.submit(ask).result(timeout=30)


def table_of(measures: list[Measured]) -> str:
    """All calls in one table, as docs/support.md has it."""
    head = ["call", "presses", "fields", "keys", "browser, s", "person, s"]
    rows = [
        [m.call, str(m.presses), str(m.fields), str(m.keys), f"{m.seconds:.1f}", f"{m.by_a_person:.0f}"]
        for m in measures
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])
