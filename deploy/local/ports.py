"""Free ports of 127.0.0.1, remembered from run to run so that a bookmark keeps working."""

from __future__ import annotations

import json
import random
import socket
from pathlib import Path

from deploy.local.errors import LocalError

HOST = "127.0.0.1"
# Below the range that Linux hands out to outgoing connections (32768 and up): a port chosen here is not taken
# by a client's connection between the choice and the start of the server.
RANGE = range(20_000, 32_000)


def is_free(port: int) -> bool:
    """Whether a server could listen on this port of 127.0.0.1 right now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port whose last connections are still in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


class Ports:
    """The ports of one instance, kept in one file, one for each service.

    ``port_for`` returns the port that the service had the last time if it is still free, otherwise another
    free one, which it remembers. A port that people know the service by comes before both.
    """

    def __init__(self, *, file: Path) -> None:
        self._file = file
        try:
            self._known: dict[str, int] = {name: int(port) for name, port in json.loads(file.read_text()).items()}
        except (OSError, ValueError, AttributeError):
            self._known = {}

    def port_for(self, service: str, *, prefer: int | None = None) -> int:
        """Return a free port for ``service``: ``prefer``, else the remembered one, else a random one."""
        remembered = self._known.get(service)
        others = {port for name, port in self._known.items() if name != service}
        candidates = [prefer, remembered, *random.sample(RANGE, 200)]
        for port in candidates:
            if port is not None and port not in others and is_free(port):
                if port != remembered:
                    self._known[service] = port
                    self._file.write_text(json.dumps(self._known, indent=2))
                return port
        raise LocalError(f"No free port of {HOST} between {RANGE.start} and {RANGE.stop}. Close some servers.")
