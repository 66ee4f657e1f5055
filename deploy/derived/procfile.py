"""The Procfile's lines for workers: one for each pool."""

from __future__ import annotations

from collections.abc import Sequence

from jobs.queues import Pool, Queue

LINE = "worker-"


def worker_command(pool: Pool, *, queues: Sequence[Queue]) -> str:
    """The command that starts one worker of ``pool``, for the queues that name it."""
    names = ",".join(queue.name for queue in queues if queue.pool == pool.name)
    kind = "" if pool.kind == "prefork" else f"--pool {pool.kind} "
    preload = f"--include {','.join(pool.preload)} " if pool.preload else ""
    return (
        f"celery --quiet -A config worker --hostname {pool.name}@%h --queues {names} {preload}{kind}"
        f"--concurrency {pool.concurrency} --prefetch-multiplier {pool.prefetch} "
        "--without-gossip --without-mingle --loglevel WARNING"
    )


def render(procfile: str, *, pools: Sequence[Pool], queues: Sequence[Queue]) -> str:
    """The Procfile with its worker lines as the tables have them, in the place of the first; the others stay."""
    lines = procfile.splitlines()
    place = next((number for number, line in enumerate(lines) if line.startswith(LINE)), len(lines))
    others = [line for line in lines if not line.startswith(LINE)]
    workers = [f"{LINE}{pool.name}: exec {worker_command(pool, queues=queues)}" for pool in pools]
    return "\n".join([*others[:place], *workers, *others[place:]]) + "\n"
