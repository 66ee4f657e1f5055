"""What has to be done between the services' start and the processes': tables, shows, logins, static files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping

from deploy.local import static_files
from deploy.local.checkout import ROOT
from deploy.local.errors import LocalError

STAFF = "staff"
MAIL_DOMAIN = "boxoffice.example"
"""Of the logins at the desk, so that the mailbox page shows the mails that they get."""
LONGEST_SECONDS = 600
"""For one step. To migrate an empty database takes seconds, and a minute on a machine that is busy."""
GONE_SECONDS = 30
"""For a step that was killed."""


def prepare(environment: Mapping[str, str]) -> None:
    """Bring the database up to date, with the demo's shows, logins and links; gather static files.

    Raises LocalError when a step fails; its own output says why.
    """
    gathering = None
    if not static_files.are_current(environment):
        # The longest step, and it needs no database: beside the others.
        gathering = _start(environment, "collectstatic", "--no-input")
    try:
        manage(environment, "migrate")
        manage(environment, "seed_demo")
        # In one word, for a drawn password may begin with a hyphen and would be taken for an option.
        manage(
            environment,
            "seed_staff",
            f"--username={STAFF}",
            f"--password={environment['STAFF_PASSWORD']}",
            f"--door-password={environment['DOOR_PASSWORD']}",
            f"--role-password={environment['ROLE_PASSWORD']}",
            f"--mail-domain={MAIL_DOMAIN}",
        )
        manage(environment, "seed_links")
    except BaseException:
        if gathering:
            _give_up(gathering)
        raise
    if gathering:
        _finish(gathering)
        static_files.note_gathered(environment)


def manage(environment: Mapping[str, str], *arguments: str) -> None:
    """Run ``manage.py`` to its end. Raises LocalError when it fails; what it wrote to stderr says why."""
    _finish(_start(environment, *arguments))


def _start(environment: Mapping[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches us alone, and we stop it
    )


def _finish(command: subprocess.Popen[bytes]) -> None:
    try:
        status = command.wait(LONGEST_SECONDS)
    except subprocess.TimeoutExpired:
        _give_up(command)
        # Without its arguments, which have passwords among them.
        raise LocalError(f"A step of the preparation has not ended within {LONGEST_SECONDS / 60:.0f} min.") from None
    except BaseException:
        _give_up(command)
        raise
    if status != 0:
        raise LocalError("A step of the preparation failed; what it printed above says why.")


def _give_up(command: subprocess.Popen[bytes]) -> None:
    """End a step in the middle. Migrations and seeds are transactions, and static files are gathered anew."""
    command.kill()
    command.wait(GONE_SECONDS)
