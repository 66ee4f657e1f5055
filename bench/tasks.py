"""A job of the ledger that does nothing but say when it started."""

from celery import shared_task

from bench.starts import note_start


@shared_task(name="bench.nothing", has_call=False)
def nothing(*, number: int) -> None:
    note_start(number)
