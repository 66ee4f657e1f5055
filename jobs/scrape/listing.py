"""``python -m jobs.scrape.listing`` prints the tables of ``docs/metrics.md``, as the code has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from prometheus_client.metrics import MetricWrapperBase

from jobs import metrics
from jobs.scrape.gauges import GAUGES

HEAD = "| metric | kind | labels | what it says |\n|---|---|---|---|\n"


def of_processes(counters: ModuleType = metrics) -> str:
    """What processes count, as a table: the engine, or an app's module of counters."""
    counted = [metric for metric in vars(counters).values() if isinstance(metric, MetricWrapperBase)]
    return HEAD + "".join(
        _row(
            metric._name + "_total" * (metric._type == "counter"),
            metric._type or "",
            metric._labelnames,
            metric._documentation,
        )
        for metric in counted
    )


def of_the_ledger(gauges: Mapping[str, tuple[str, tuple[str, ...]]] = GAUGES) -> str:
    """What the ledger says when it is asked, as a table, each with the label ``database`` too; or an app's gauges."""
    return HEAD + "".join(_row(name, "gauge", labels, purpose) for name, (purpose, labels) in gauges.items())


def _row(name: str, kind: str, labels: tuple[str, ...], purpose: str) -> str:
    return f"| `{name}` | {kind} | {', '.join(labels) or '–'} | {purpose} |\n"


if __name__ == "__main__":
    print(of_the_ledger(), of_processes(), sep="\n")  # noqa: T201
