"""Serves the API, and sends the events, in one process."""

from __future__ import annotations


def serve() -> int:
    """Serve on 127.0.0.1 until SIGTERM or Ctrl-C."""
    from sandbox.esp.settings import SANDBOX_ESP_PORT
    from sandbox.esp.stand_in import the_stand_in
    from sandbox.web_server import serve_site

    deliverer = the_stand_in().deliverer
    deliverer.start()
    try:
        return serve_site(port=SANDBOX_ESP_PORT)
    finally:
        deliverer.stop()
