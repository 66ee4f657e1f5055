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
    Periodic(
        name="plan sale openings",
        task="inventory.plan_sale_openings",
        why="Gives every sale that is still to open the job that tells of its opening: after changes by hand.",
        every=timedelta(minutes=10),
    ),
    Periodic(
        name="erase sale alerts",
        task="boxoffice.erase_sale_alerts",
        why="Erases the addresses of those who have been told of a sale, or wait for nothing any more.",
        cron="45 2 * * *",
    ),
    Periodic(
        name="plan reminders",
        task="boxoffice.plan_reminders",
        why="Plans the mail that reminds of a show, 24 hours before it begins.",
        every=timedelta(minutes=5),
    ),
)
