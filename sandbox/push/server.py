"""Serves the endpoints and the pages in one process."""

from __future__ import annotations


def serve() -> int:
    """Serve on 127.0.0.1 until SIGTERM or Ctrl-C."""
    from sandbox.push.settings import SANDBOX_PUSH_PORT
    from sandbox.web_server import serve_site

    return serve_site(port=SANDBOX_PUSH_PORT)
