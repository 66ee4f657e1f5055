"""``make requirements``: pins ``requirements*.in`` with hashes, the same on every machine.

What this machine adds to pip (other indexes, folders of wheels, constraints) is left out, so that the hashes are
those of the public index and the files name no host.
"""

from __future__ import annotations

import os
import subprocess
import sys

from deploy.local.checkout import ROOT

OPTIONS = (
    *("--quiet", "--strip-extras", "--allow-unsafe", "--generate-hashes"),
    *("--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host"),
)
# Where pip finds certificates and how long it waits is the machine's business and leaves no trace.
HARMLESS = {"PIP_CERT", "PIP_DEFAULT_TIMEOUT", "PIP_PROXY"}


def main(arguments: list[str]) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_") or name in HARMLESS}
    environment |= {"PIP_CONFIG_FILE": os.devnull, "CUSTOM_COMPILE_COMMAND": "make requirements"}
    for name in ("requirements", "requirements-dev"):
        command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, *arguments]
        done = subprocess.run(
            [*command, "--output-file", f"{name}.txt", f"{name}.in"], cwd=ROOT, env=environment, check=False
        )
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
