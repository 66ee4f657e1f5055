"""Every periodic job, and why there is one.

Beat creates what is missing and takes over what changed here, but leaves alone what staff changed in the admin: to
stop one, disable it there. Nothing that must be correct waits for any of them (I11).
"""

from datetime import timedelta

from jobs.periodic import Periodic

SCHEDULE: tuple[Periodic, ...] = (
    Periodic(
        name="release expired holds",
        task="inventory.release_expired_holds",
        why="Puts the seats of holds whose time has run out back on sale, where the holds' own jobs have not done so.",
        every=timedelta(seconds=30),
    ),
)
