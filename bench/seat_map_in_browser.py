"""When the map of a hall of 12,000 places can be used, in a browser: a part of ``make bench-seat-map``.

From navigation until what was drawn is on the screen, and from then on a press until its answer is. The plain way draws
an element for each seat, from the same layout and states of the same web server, which is production's. With an empty
cache, and once more with what the browser has kept from the first visit; in alternating rounds. Beside the time there
is the processor time of the browser's main thread, which other load on the machine does not stretch. It is compared
until the map is shown: what a press does is more in ours, which comes closer, than to fill one square.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, BrowserContext, CDPSession, ViewportSize, sync_playwright

from bench.checkout_system import WEB
from bench.fresh_process import database_url
from bench.report import report, say
from bench.system import Process, leave_database
from deploy.local.ports import Ports
from inventory.models import Show

TARGET = 0.6
"""Two thirds later at most: ours is the whole page of 38 files, with list, choice and fonts; the plain one has four."""
CPU_TARGET = 1.0
"""For all that no more of the main thread."""
USABLE_LIMIT_MS = 1000
"""On a quiet machine; reported, since other load stretches it."""
CPU_LIMIT_MS = 500
"""Of the main thread until a press is answered: half of the second."""
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
VIEW: ViewportSize = {"width": 1280, "height": 900}
SPOT = [0.5, 0.62]
"""Where the map is pressed, of its width and height: among seats."""

# The second frame after the mark begins when the first one has been handed over to be shown.
WATCH = """
    const shown = () => new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))));
    window.drawn = new Promise((done) => new PerformanceObserver(async (list) => {
        if (list.getEntriesByName("seat-map-ready").length) done(await shown());
    }).observe({ type: "mark", buffered: true }));
    window.answered = new Promise((done) =>
        addEventListener("pointerup", async (event) => done(await shown() - event.timeStamp), true));
"""
# A seat of the plain page is pressed in its middle, since it is smaller than what a hand can mean; ours comes closer.
WHERE_TO_PRESS = """
    ([across, down]) => {
        const box = document.getElementById("map").getBoundingClientRect();
        const [x, y] = [box.x + box.width * across, box.y + box.height * down];
        const seats = [...document.querySelectorAll("#map > rect")].map((seat) => seat.getBoundingClientRect());
        const away = (seat) => Math.hypot(seat.x - x, seat.y - y);
        const near = seats.reduce((one, other) => (one && away(one) < away(other) ? one : other), null);
        return near ? [near.x + near.width / 2, near.y + near.height / 2] : [x, y];
    }
"""


@dataclass(frozen=True)
class Visit:
    """Milliseconds: until the map was shown, and from a press to its answer; and the main thread's own until then."""

    drawn: float
    answer: float
    cpu_drawn: float
    cpu_answered: float

    @property
    def usable(self) -> float:
        return self.drawn + self.answer


class Way:
    """A page of the hall, and how it was to visit it."""

    def __init__(self, address: str, done: str) -> None:
        """done: what is on the page once a press was answered."""
        self._address, self._done = address, done
        self.forget()

    def forget(self) -> None:
        self.cold: list[Visit] = []
        self.warm: list[Visit] = []

    def visit_twice(self, browser: Browser) -> None:
        """With an empty cache, and again."""
        context = browser.new_context(locale="en-GB", viewport=VIEW)
        try:
            self.cold.append(self._visit(context))
            self.warm.append(self._visit(context))
        finally:
            context.close()

    def _visit(self, context: BrowserContext) -> Visit:
        """Open the page, and press the map once."""
        page = context.new_page()
        measured = context.new_cdp_session(page)
        measured.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.add_init_script(WATCH)
        page.goto(self._address, wait_until="commit")
        drawn = page.evaluate("drawn")
        cpu_drawn = _main_thread_ms(measured)
        page.mouse.click(*page.evaluate(WHERE_TO_PRESS, SPOT))
        answer = page.evaluate("answered")
        page.locator(self._done).first.wait_for(state="attached")
        cpu_answered = _main_thread_ms(measured)
        page.close()
        return Visit(drawn, answer, cpu_drawn, cpu_answered)

    def told(self) -> str:
        """The last visits in short."""
        cold, warm = self.cold[-1], self.warm[-1]
        return f"{cold.drawn:.0f} + {cold.answer:.0f} ms cold, {warm.drawn:.0f} + {warm.answer:.0f} ms warm"


def compare_in_browser(show: Show, rounds: int) -> bool:
    """Returns whether ours is good enough. The show's database is the one in use; nothing is written to it.

    Without a browser it says so and is good enough.
    """
    if not os.access(CHROMIUM, os.X_OK):
        say("!! SKIPPED: the map in a browser. There is no Chromium: apt-get install chromium libatomic1")
        return True
    with _running_site() as site, _browser() as browser:
        ours = Way(f"{site}/shows/{show.slug}/", "#map-frame[data-ready] #zoom-whole:not([disabled])")
        peer = Way(f"{site}/plain/{show.slug}/", "#chosen:not(:empty)")
        for way in (ours, peer):
            way.visit_twice(browser)  # the server's processes make the layout, and the browser wakes up
            way.forget()
        for number in range(rounds):
            for way in (ours, peer) if number % 2 else (peer, ours):
                way.visit_twice(browser)
            say(f"round {number + 1}: ours {ours.told()}; peer {peer.told()}")
    good = [
        _report("cold cache", ours.cold, peer.cold),
        _report("warm cache", ours.warm, peer.warm),
        _report_processor([*ours.cold, *ours.warm], [*peer.cold, *peer.warm]),
    ]
    return all(good)


def _main_thread_ms(measured: CDPSession) -> float:
    figures = {one["name"]: one["value"] for one in measured.send("Performance.getMetrics")["metrics"]}
    return 1000 * float(figures["TaskDuration"])


def _report(cache: str, ours: Sequence[Visit], peer: Sequence[Visit]) -> bool:
    """Of the quicker half of the visits: what else the machine does can only add to them."""
    ours, peer = (sorted(visits, key=lambda one: one.usable)[: (len(visits) + 1) // 2] for visits in (ours, peer))
    usable = median(visit.usable for visit in ours)
    return report(
        bench=f"seat_map in a browser, {cache}",
        ours=[visit.usable for visit in ours],
        peer=[visit.usable for visit in peer],
        peer_name="an element for each seat",
        unit="ms until a press is answered",
        lower_is_better=True,
        target=TARGET,
        drawn_ms=round(median(visit.drawn for visit in ours)),
        answer_ms=round(median(visit.answer for visit in ours)),
        peer_drawn_ms=round(median(visit.drawn for visit in peer)),
        peer_answer_ms=round(median(visit.answer for visit in peer)),
        limit_ms=USABLE_LIMIT_MS,
        within_limit=usable <= USABLE_LIMIT_MS,
    )


def _report_processor(ours: Sequence[Visit], peer: Sequence[Visit]) -> bool:
    answered = median(visit.cpu_answered for visit in ours)
    return report(
        bench="seat_map in a browser, processor",
        ours=[visit.cpu_drawn for visit in ours],
        peer=[visit.cpu_drawn for visit in peer],
        peer_name="an element for each seat",
        unit="ms of the main thread until the map is shown",
        lower_is_better=True,
        target=CPU_TARGET,
        sound=answered <= CPU_LIMIT_MS,
        answered_ms=round(answered),
        peer_answered_ms=round(median(visit.cpu_answered for visit in peer)),
        limit_ms=CPU_LIMIT_MS,
    )


@contextmanager
def _running_site() -> Iterator[str]:
    """Production's web server with both pages, while the block runs: its address."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-seat-map-")))
        port = Ports(file=folder / "ports.json").port_for("web")
        address = f"http://127.0.0.1:{port}"
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "bench.seat_map_settings",
            "DATABASE_URL": database_url(),
            "PUBLIC_URL": address,
            "STATIC_ROOT": str(folder / "static"),
            "PYTHONUNBUFFERED": "1",
        }
        gather = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        subprocess.run(gather, env=environment, check=True, timeout=120)
        command = ("-m", "granian", *WEB, "--port", str(port), "--no-ws", "config.wsgi:application")
        stack.callback(leave_database)
        web = Process(*command, ready="Started worker-2", environment=environment)
        stack.callback(web.end)
        web.wait_until_ready()
        yield address


@contextmanager
def _browser() -> Iterator[Browser]:
    quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=quiet)
        try:
            yield browser
        finally:
            browser.close()
