"""Every periodic job, and why there is one.

Beat creates what is missing and takes over what changed here, but leaves alone what staff changed in the admin: to
stop one, disable it there. Nothing that must be correct waits for any of them (I11).
"""

from jobs.periodic import Periodic

SCHEDULE: tuple[Periodic, ...] = ()
