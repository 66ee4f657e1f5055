"""The broker dies, stops, forgets, stands still and hangs up; the ledger needs nobody's help to go on (I2).

Each fault ends with a proof that every worker consumes again: a process that lives and is deaf would not show.
"""

from __future__ import annotations

from collections.abc import Callable

from jobs.broker.topology import DEAD_LETTERS
from jobs.queues import all_queues
from tests.chaos.faults import fault
from tests.chaos.scene import Scene
from tests.fixtures_jobs import at_broker

CALL_SECONDS = 0.02
"""The provider takes its time, so that there is work at the broker when it is struck."""
AWAY_SECONDS = 3.0


@fault("killed and started again", jobs=0.5, short=True, seconds=90)
def killed(scene: Scene) -> None:
    def harm() -> None:
        scene.servers.kill_broker(scene.broker)
        scene.servers.start_broker(scene.broker)

    _work_while_struck(scene, harm)


@fault("stopped, and started again after a while", jobs=0.5, seconds=90)
def stopped(scene: Scene) -> None:
    """Meanwhile jobs are enqueued as ever, and wait in the ledger."""

    def harm() -> None:
        scene.servers.stop_broker(scene.broker)
        keys = scene.enqueue(scene.jobs // 4, prefix="meanwhile.")
        scene.pause(AWAY_SECONDS)
        scene.expect(scene.number_of(keys, "done") == 0, "jobs ran without a broker")
        scene.servers.start_broker(scene.broker)

    _work_while_struck(scene, harm)


@fault("killed, and started again on an empty disk", jobs=0.5, seconds=90)
def killed_with_its_disk(scene: Scene) -> None:
    def harm() -> None:
        scene.servers.kill_broker(scene.broker)
        scene.servers.start_broker(scene.broker, empty=True)

    _work_while_struck(scene, harm)


@fault("wiped: FLUSHALL, or all queues deleted", jobs=0.5)
def wiped(scene: Scene) -> None:
    def harm() -> None:
        with at_broker(scene.broker_url) as broker:
            channel = broker.default_channel
            if scene.broker == "redis":
                channel.client.flushall()
            else:
                for name in (*(queue.name for queue in all_queues()), DEAD_LETTERS):
                    channel.queue_delete(name)

    _work_while_struck(scene, harm, times=2)


@fault("queue purged", jobs=0.5)
def purged(scene: Scene) -> None:
    def harm() -> None:
        with at_broker(scene.broker_url) as broker:
            broker.default_channel.queue_purge("probe")

    _work_while_struck(scene, harm, times=3)


@fault("all connections closed by the broker", jobs=0.5)
def connections_cut(scene: Scene) -> None:
    """Slow calls, for telling RabbitMQ takes seconds."""
    _work_while_struck(
        scene, lambda: scene.servers.cut_broker_connections(scene.broker), times=2, call_seconds=5 * CALL_SECONDS
    )


@fault("paused for a while", jobs=0.5)
def paused(scene: Scene) -> None:
    def harm() -> None:
        scene.servers.pause_broker(scene.broker)
        scene.pause(AWAY_SECONDS)
        scene.servers.resume_broker(scene.broker)

    _work_while_struck(scene, harm)


def _work_while_struck(
    scene: Scene, harm: Callable[[], object], *, times: int = 1, call_seconds: float = CALL_SECONDS
) -> None:
    scene.provider.forget(seconds=call_seconds)
    before = {process.pid for process in scene.crew.processes}
    scene.enqueue()
    for strike in range(times):
        scene.until_share_done((strike + 1) / (times + 2))
        scene.strike(harm)
    scene.until_all_ended()
    scene.until_all_workers_work()
    after = {process.pid for process in scene.crew.processes if process.alive}
    scene.expect(before == after, "a relay or a worker ended over it")
