"""Redis: the pop in which a worker's channel waits for the next message, for a second at a time.

A channel that is closed first reads the answer, since a message could be in it. That would be most of the time that an
idle worker needs to stop.
"""

from __future__ import annotations

from typing import Any


def end_blocking_pop(channel: Any) -> None:
    """Let Redis answer the pop of ``channel`` now, with nothing. Does nothing on other brokers.

    The connection is found by its address; behind a proxy it is not, and the answer comes within the second.
    """
    waiting = getattr(channel, "_in_poll", None)
    if not waiting or waiting._sock is None:
        return
    address = waiting._sock.getsockname()
    if isinstance(address, tuple):
        host, port = address[:2]
        ours = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        with channel.conn_or_acquire() as redis:  # the channel's own client is the one that waits
            for client in redis.client_list(_type="normal"):
                if client["addr"] == ours:
                    redis.client_unblock(int(client["id"]))
