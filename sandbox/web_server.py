"""Serves the sandbox's pages and APIs: few people, no hurry, one process."""

from __future__ import annotations

import signal
import socketserver
import sys
import threading
from types import FrameType
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server


class Server(socketserver.ThreadingMixIn, WSGIServer):
    """A thread for each request."""

    daemon_threads = True
    request_queue_size = 64


class QuietHandler(WSGIRequestHandler):
    """Writes no line for each request: a page that updates itself would fill the terminal."""

    def get_environ(self) -> dict[str, Any]:
        """With the connection itself, for a stand-in that is told to hang up without an answer."""
        return {**super().get_environ(), "sandbox.connection": self.connection}

    def log_message(self, format: str, *args: object) -> None:
        return


def serve() -> int:
    """Serve the mailbox until SIGTERM or Ctrl-C."""
    from sandbox.settings import SANDBOX_PORT

    return serve_site(port=SANDBOX_PORT)


def serve_site(*, port: int) -> int:
    """Serve the site of the settings on that port of 127.0.0.1 until SIGTERM or Ctrl-C; the exit status."""
    from django.core.wsgi import get_wsgi_application

    from sandbox.settings import HOST

    server = make_server(HOST, port, get_wsgi_application(), server_class=Server, handler_class=QuietHandler)

    def stop(_number: int, _frame: FrameType | None) -> None:
        # shutdown() waits for the loop below, so it may not run on the loop's own thread.
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    sys.stdout.write(f"READY http://{HOST}:{server.server_address[1]}/\n")
    sys.stdout.flush()
    with server:
        server.serve_forever(poll_interval=0.2)
    return 0
