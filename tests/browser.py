"""One Chromium for each process of the tests, and Playwright's driver with it: to start them costs as much as a test.

Each visit has a context of its own, which shares nothing with another: no cookie, no store, no cache, no worker.

Pages are drawn by Chromium's headless shell where Debian's package of it is installed: the same engine in a program
without windows, which takes less than half of the processor's time. It has no notifications: who needs them asks for
the whole browser, and who gives arguments, for a camera, gets it as well.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
SHELL = shutil.which("chromium-headless-shell") or CHROMIUM
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


class Chromium:
    """The browser of this process, started when it is first asked for."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def installed(self) -> bool:
        return os.access(CHROMIUM, os.X_OK)

    @contextmanager
    def opened(self, *arguments: str, whole: bool = False) -> Iterator[Browser]:
        """The browser while the block runs; with arguments, or ``whole``, one of its own that starts with them."""
        own = whole or bool(arguments)
        with self._in_our_loop():
            if own:
                browser = self._started().chromium.launch(executable_path=CHROMIUM, args=[*QUIET, *arguments])
            else:
                browser = self._shared()
            try:
                yield browser
            finally:
                if own:
                    browser.close()
                else:
                    for context in browser.contexts:
                        context.close()

    def close(self) -> None:
        """End browser and driver, if they run."""
        if self._playwright is None:
            return
        with self._in_our_loop():
            with suppress(Error):
                if self._browser is not None:
                    self._browser.close()
            self._playwright.stop()
        self._playwright = self._browser = self._loop = None

    def _shared(self) -> Browser:
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._started().chromium.launch(executable_path=SHELL, args=QUIET)
        return self._browser

    def _started(self) -> Playwright:
        if self._playwright is None:
            self._playwright = sync_playwright().start()
            self._loop = asyncio.get_running_loop()
        return self._playwright

    @contextmanager
    def _in_our_loop(self) -> Iterator[None]:
        """Playwright leaves its loop marked as running in this thread, and while it is, Django refuses to query."""
        earlier = asyncio._get_running_loop()
        if self._loop is not None:
            asyncio._set_running_loop(self._loop)
        try:
            yield
        finally:
            asyncio._set_running_loop(earlier)
