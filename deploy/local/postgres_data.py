"""Where PostgreSQL's data lies: in ``.local``, or outside the checkout when its account cannot go there.

Outside means ``/var/lib/boxoffice-HASH/INSTANCE``, the hash being that of the checkout's path, with a link to it
in ``.local``. The data lives and dies with that link: whoever removes ``.local`` removes the data.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from deploy.local.checkout import Instance
from deploy.local.errors import LocalError
from deploy.local.postgres_account import ACCOUNT, Account, outside
from deploy.local.postmaster import end_server


def data_folder(owner: Account, *, instance: Instance) -> Path:
    """Return the folder for the data and the log, made and given to the account; in ``.local`` if it can be."""
    inside = instance.folder / "postgres"
    if owner.is_own:
        inside.mkdir(mode=0o700, exist_ok=True)
        return inside
    if not inside.is_symlink() and owner.can("x", instance.folder):
        inside.mkdir(mode=0o700, exist_ok=True)
        os.chown(inside, owner.uid, owner.gid)
        return inside
    return _data_folder_outside(owner, inside, outside(instance) / instance.name)


def _data_folder_outside(owner: Account, link: Path, folder: Path) -> Path:
    if link.is_symlink() and link.resolve() != folder and _moved_with_us(link):
        return link.resolve()
    if folder.is_dir() and not link.is_symlink():
        # A checkout that lay at the same path and was removed, with its passwords: nobody can open this data.
        end_server(folder / "data")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    folder.parent.chmod(0o755)
    os.chown(folder, owner.uid, owner.gid)
    folder.chmod(0o700)
    if link.is_dir() and not link.is_symlink():
        raise LocalError(f"{link} cannot be reached by {ACCOUNT} any more. Move it away, then start again.")
    link.unlink(missing_ok=True)
    link.symlink_to(folder)
    (folder / "checkout").write_text(f"{link}\n")
    return folder


def _moved_with_us(link: Path) -> bool:
    """Whether the data behind the link is of a checkout that now lies here, and not of the one we are a copy of."""
    try:
        home = Path((link / "checkout").read_text().strip())
    except OSError:
        return False
    if home != link and not home.is_symlink():
        (link / "checkout").write_text(f"{link}\n")
        return True
    return home == link
