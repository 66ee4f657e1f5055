"""``python -m sandbox smtp``, ``web``, ``esp``, ``stripe`` or ``push``. Each prints READY and where it listens."""

from __future__ import annotations

import os
import sys


def main(arguments: list[str]) -> int:
    """Run one stand-in until it is told to stop; the exit status for the shell."""
    settings = "sandbox.settings"
    match arguments:
        case ["smtp"]:
            from sandbox.smtp_server import serve
        case ["web"]:
            from sandbox.web_server import serve
        case ["esp"]:
            from sandbox.esp.server import serve

            settings = "sandbox.esp.settings"
        case ["stripe"]:
            from sandbox.stripe.server import serve

            settings = "sandbox.stripe.settings"
        case ["push"]:
            from sandbox.push.server import serve

            settings = "sandbox.push.settings"
        case _:
            sys.stderr.write("Say which stand-in to run: python -m sandbox smtp, web, esp, stripe or push\n")
            return 2
    os.environ["DJANGO_SETTINGS_MODULE"] = settings
    return serve()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
