"""How long a request took in the server, told on its answer: from its arrival there until the answer is ready.

Beside the time it tells the processor time of its thread, which other load on the machine does not stretch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter, thread_time
from typing import Any

HEADER = "X-Server-Milliseconds"
"""Two numbers: all of it, and on the processor."""

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def timed(application: Application) -> Application:
    """All of it counts: middleware, the connection out of the pool, the view and what the view runs."""

    def run(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        began, used = perf_counter(), thread_time()

        def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
            took = f"{1000 * (perf_counter() - began):.2f} {1000 * (thread_time() - used):.2f}"
            return start_response(status, [*headers, (HEADER, took)], *rest)

        return application(environ, start)

    return run
