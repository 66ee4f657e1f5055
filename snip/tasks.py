"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from celery import shared_task

from jobs.record import record
from snip.archive import erase_archives as archives
from snip.counter import partitions
from snip.scan import check_again as again
from snip.scan import scan_link as scanning


@shared_task(
    name="snip.scan_link",
    on_dead="snip.scan.give_up.give_up",
    on_replay="snip.scan.give_up.take_up",
    # The scan of an edit waits behind this one, for a minute at most; forty attempts outlast an outage of a quarter of
    # an hour (17 minutes on average).
    retry_backoff_max=60,
    max_retries=39,
)
def scan_link(*, link_id: int, version: int) -> None:
    """A link was made or changed: look at its target. The names and the pages that it asks for are the call."""
    scanning.scan_link(link_id=link_id, version=version)


@shared_task(name="snip.check_again")
def check_again(*, link_id: int) -> None:
    """Look again at what a link serves."""
    again.check_again(link_id=link_id)


@shared_task(name="snip.hand_out_checks", has_call=False)
def hand_out_checks() -> None:
    """Have the targets looked at again that are due."""
    with record():
        again.hand_out_checks()


@shared_task(name="snip.erase_archives")
def forget_archives() -> None:
    """Commits object by object, without ``record``: what has gone is not there when it comes again."""
    archives.erase_archives()


@shared_task(name="snip.tend_click_partitions", has_call=False)
def tend_click_partitions() -> None:
    """Without ``record``: it is outside of any transaction that a partition goes and holds up nobody."""
    partitions.make_partitions_ahead()
    partitions.drop_expired_partitions()
