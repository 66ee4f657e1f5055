"""``python -m deploy.derived`` writes what follows from the tables; with ``--check`` it says what is out of date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from config.destinations import DESTINATIONS
from config.environment import VARIABLES
from config.queues import POOLS, QUEUES
from config.routes import TASKS
from config.schedule import SCHEDULE
from deploy.derived import alerts, cronjobs, keda, procfile, queues_page
from deploy.local.checkout import ROOT


def derived_files() -> dict[str, str]:
    """Each derived file's path in the checkout, and what must stand in it."""
    old_procfile = (ROOT / "Procfile").read_text()
    return {
        "Procfile": procfile.render(old_procfile, pools=POOLS, queues=QUEUES),
        "docs/queues.md": queues_page.render(pools=POOLS, queues=QUEUES, destinations=DESTINATIONS, tasks=TASKS),
        "deploy/prometheus/alerts.yaml": alerts.render(
            queues=QUEUES, destinations=DESTINATIONS, tasks=TASKS, schedule=SCHEDULE
        ),
        **{f"deploy/k8s/{pool.name}-scaledobject.yaml": keda.render(pool, queues=QUEUES) for pool in POOLS},
        **{
            f"deploy/k8s/{job.name}-cronjob.yaml": cronjobs.render(job, variables=VARIABLES)
            for job in cronjobs.CRON_JOBS
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 1 when ``--check`` found a file that is out of date."""
    parser = argparse.ArgumentParser(prog="python -m deploy.derived", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail when something would change")
    check = parser.parse_args(arguments).check
    stale = [path for path, text in derived_files().items() if _text_of(path) != text]
    for path in stale:
        print(f"{path} {'is out of date: run python -m deploy.derived' if check else 'written'}")
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(derived_files()[path])
    return 1 if check and stale else 0


def _text_of(path: str) -> str | None:
    return (ROOT / path).read_text() if (ROOT / path).exists() else None


if __name__ == "__main__":
    sys.exit(main())
