"""``python -m sandbox smtp`` and ``python -m sandbox web``. Both print READY and their address when they listen."""

from __future__ import annotations

import os
import sys


def main(arguments: list[str]) -> int:
    """Run one stand-in until it is told to stop; the exit status for the shell."""
    match arguments:
        case ["smtp"]:
            from sandbox.smtp_server import serve
        case ["web"]:
            from sandbox.web_server import serve
        case _:
            sys.stderr.write("Say which stand-in to run: python -m sandbox smtp, or python -m sandbox web\n")
            return 2
    os.environ["DJANGO_SETTINGS_MODULE"] = "sandbox.settings"
    return serve()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
