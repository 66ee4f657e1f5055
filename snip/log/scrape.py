"""What the log of clicks says of itself when somebody scrapes, whether or not anybody reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import redis
import structlog
from django.conf import settings
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from redis.backoff import NoBackoff
from redis.retry import Retry

from snip.log.age import oldest_unread_seconds
from snip.log.streams import further_streams, stream_names

log = structlog.get_logger(__name__)

GROUPS = ("counter", "archiver")
TIMEOUT_SECONDS = 1.0
"""A scrape waits no longer for each command."""

GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "snip_log_up": ("1 while the Redis server of the log of clicks answers.", ()),
    "snip_log_entries": ("Entries of the log, read ones too.", ()),
    "snip_oldest_unread_seconds": ("How long the oldest click has waited that a group has not dealt with.", ("group",)),
}
"""Name: help, labels."""


class ClickLogCollector(Collector):
    """The gauges of the log. A server that does not answer makes ``snip_log_up`` 0, and no error."""

    def describe(self) -> Iterable[Metric]:
        """Nothing: a registry would otherwise scrape when it is made."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Read them."""
        families = {name: GaugeMetricFamily(name, purpose, labels=of) for name, (purpose, of) in GAUGES.items()}
        for name, labels, value in _samples():
            families[name].add_metric(labels, value)
        yield from families.values()


def _samples() -> list[tuple[str, tuple[str, ...], float]]:
    retry, timeouts = Retry(NoBackoff(), 0), {"socket_timeout": TIMEOUT_SECONDS}
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, retry=retry, socket_connect_timeout=TIMEOUT_SECONDS, **timeouts
        ) as client:
            further = further_streams(client=client, count=settings.SNIP_STREAMS)
            streams = [*stream_names(settings.SNIP_STREAMS), *further]
            ages = {group: oldest_unread_seconds(client=client, streams=streams, group=group) for group in GROUPS}
            entries = sum(int(client.xlen(stream)) for stream in streams)
    except redis.RedisError as error:
        log.warning("click_log_not_scraped", error=type(error).__name__)
        return [("snip_log_up", (), 0)]
    aged = [("snip_oldest_unread_seconds", (group,), age) for group, age in ages.items()]
    return [("snip_log_up", (), 1), ("snip_log_entries", (), entries), *aged]
