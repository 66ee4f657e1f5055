"""Every periodic job, and why there is one.

Beat creates what is missing and takes over what changed here, but leaves alone what staff changed in the admin: to
stop one, disable it there. Nothing that must be correct waits for any of them (I11).
"""

from datetime import timedelta

from jobs.periodic import DUE_AT, Periodic

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
        name="count what was left",
        task="inventory.count_what_was_left",
        why="Has the free seats counted for the list of shows where a change of them was not counted by itself.",
        every=timedelta(seconds=30),
    ),
    Periodic(
        name="count sales that were left",
        task="boxoffice.count_sales_left",
        why="Has the sales of shows counted for the dashboard where a change of them was not counted by itself.",
        every=timedelta(seconds=30),
    ),
    Periodic(
        name="prove takings",
        task="boxoffice.prove_takings",
        why="Compares the takings of the dashboard with the orders, exactly, and counts anew what differs.",
        cron="20 4 * * *",
    ),
    Periodic(
        name="erase sale alerts",
        task="boxoffice.erase_sale_alerts",
        why="Erases the addresses of those who have been told of a sale, or wait for nothing any more.",
        cron="45 2 * * *",
    ),
    Periodic(
        name="erase asked orders",
        task="boxoffice.erase_asked_orders",
        why="Erases the addresses of those who asked for the links to their orders a day ago.",
        cron="48 2 * * *",
    ),
    Periodic(
        name="erase messages",
        task="boxoffice.erase_messages",
        why="Erases what fans wrote to the box office, with their addresses, 400 days after it was settled.",
        cron="49 2 * * *",
    ),
    Periodic(
        name="erase push subscriptions",
        task="boxoffice.erase_push_subscriptions",
        why="Erases the addresses of browsers whose show is long over, or that push services take nothing for.",
        cron="50 2 * * *",
    ),
    Periodic(
        name="erase recipients",
        task="boxoffice.erase_recipients",
        why="Erases the mail addresses in notifications about shows that are long over.",
        cron="55 2 * * *",
    ),
    Periodic(
        name="plan reminders",
        task="boxoffice.plan_reminders",
        why="Plans the mail that reminds of a show, 24 hours before it begins.",
        every=timedelta(minutes=5),
    ),
    Periodic(
        name="tell of late tickets",
        task="boxoffice.tell_tickets_late",
        why="Tells fans whose tickets take longer than ten minutes, or cannot be made, that somebody is on it.",
        every=timedelta(minutes=1),
    ),
    Periodic(
        name="prune the ledger",
        task="jobs.prune",
        why="Forgets old dedup keys and scheduled runs, and moves ended jobs to the history that the relays left.",
        cron="10 3 * * *",
    ),
    Periodic(
        name="erase exports",
        task="boxoffice.erase_exports",
        why="Erases the files of orders, attendees and takings that staff asked for more than a week ago.",
        cron="57 2 * * *",
    ),
    Periodic(
        name="prune web sessions",
        task="boxoffice.prune_sessions",
        why="Deletes the sessions of browsers that nobody can use any more, which Django leaves in their table.",
        cron="25 3 * * *",
    ),
    Periodic(
        name="prune login failures",
        task="boxoffice.prune_login_failures",
        why="Forgets from which addresses somebody failed to log in, once that locks nobody out any more.",
        cron="27 3 * * *",
    ),
    Periodic(
        name="prune provider events",
        task="boxoffice.prune_provider_events",
        why="Forgets what the payment provider has told, once it does not tell it again any more.",
        cron="35 3 * * *",
    ),
    Periodic(
        name="prune mail events",
        task="notifications.prune_mail_events",
        why="Forgets what the mail provider has told, once it does not tell it again any more.",
        cron="37 3 * * *",
    ),
    Periodic(
        name="prune scans",
        task="tickets.prune_scans",
        why="Forgets whom doors let in, and whom not, more than 400 days ago.",
        cron="45 3 * * *",
    ),
    Periodic(
        name="end the day",
        task="boxoffice.end_day",
        why="Announces each day that is over, one by one also after an outage, to whatever looks back at a day.",
        cron="40 3 * * *",
        catch_up="all",
        args={"due_at": DUE_AT},
    ),
    Periodic(
        name="look again at targets",
        task="snip.hand_out_checks",
        why="Has the targets of links that are served looked at again, each once a week: pages change.",
        every=timedelta(minutes=5),
    ),
    Periodic(
        name="erase click archives",
        task="snip.erase_archives",
        why="Erases archived hours of clicks after 400 days, the sums by day and counts by hour after 800.",
        cron="58 2 * * *",
    ),
    Periodic(
        name="tend click partitions",
        task="snip.tend_click_partitions",
        why="Drops what is remembered of clicks that can be counted no more, hour by hour, where no counter does.",
        every=timedelta(hours=1),
    ),
)
