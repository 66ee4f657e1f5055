"""Serves the API and the pages, and sends the events, in one process."""

from __future__ import annotations


def serve() -> int:
    """Serve on 127.0.0.1 until SIGTERM or Ctrl-C."""
    from sandbox.stripe.deliver import Deliverer
    from sandbox.stripe.settings import SANDBOX_STRIPE_PORT
    from sandbox.stripe.stand_in import the_stand_in
    from sandbox.web_server import serve_site

    deliverer = Deliverer(the_stand_in())
    deliverer.start()
    try:
        return serve_site(port=SANDBOX_STRIPE_PORT)
    finally:
        deliverer.stop()
