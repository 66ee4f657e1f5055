"""The probe's tasks. Each takes a key, by which the tests count."""

from __future__ import annotations

import http.client
import os
import signal
import time
from asyncio import CancelledError
from collections.abc import Callable
from urllib.parse import urlsplit

from billiard.exceptions import SoftTimeLimitExceeded
from celery import shared_task
from celery.exceptions import Ignore, Reject, Retry, WorkerShutdown

from jobs.claim import current_claim, current_database
from jobs.enqueue import enqueue
from jobs.errors import PermanentError, RateLimited, TransientError
from jobs.record import record
from notifications.content import EmailContent
from notifications.deliver import deliver
from notifications.models import Notification
from tests.probe.models import Burial, Call, Mark, SharedRow


class Wordy(Exception):
    """Pickles, but does not unpickle: it is made of more arguments than it passes on."""

    def __init__(self, code: int, word: str) -> None:
        super().__init__(f"{code} {word}")


class Unpicklable(Exception):
    def __reduce__(self) -> str:
        raise TypeError("nobody pickles me")


class Unreadable(Exception):
    def __str__(self) -> str:
        raise ValueError("nobody reads me")


def _deep() -> None:
    _deep()


FAILURES: dict[str, Callable[[], BaseException]] = {
    "transient": lambda: TransientError("the provider is out"),
    "rate limited": lambda: RateLimited("slow down", retry_after=0.5),
    "permanent": lambda: PermanentError("no such address"),
    "unknown": lambda: ValueError("nobody expected this"),
    "system exit": lambda: SystemExit(3),
    "worker shutdown": lambda: WorkerShutdown(0),
    "cancelled": CancelledError,
    "memory error": MemoryError,
    "ignore": Ignore,
    "reject": lambda: Reject("not today", requeue=True),
    "retry": lambda: Retry("again", when=1),
    "several arguments": lambda: Wordy(7, "words"),
    "unpicklable": lambda: Unpicklable("x"),
    "unreadable": lambda: Unreadable("x"),
    "not text": lambda: ValueError("caf\udce9 \x00 café"),
}


def note_burial(*, key: str, **_: object) -> None:
    Burial.objects.create(key=key)


def fail_burial(*, key: str, **_: object) -> None:
    Burial.objects.create(key=key)
    raise RuntimeError("the callback fails as well")


@shared_task(name="probe.leave_a_mark", has_call=False)
def leave_a_mark(*, key: str) -> None:
    with record():
        Mark.objects.create(key=key)


@shared_task(
    name="probe.work_on_its_shard",
    on_dead="tests.probe.tasks.bury_on_its_shard",
    on_replay="tests.probe.tasks.unbury_on_its_shard",
)
def work_on_its_shard(*, key: str, fails: bool = False, seconds: float = 0) -> None:
    """Write beside the job, wherever that is, and enqueue what follows there."""
    shard = current_database()
    Call.objects.using(shard).create(key=key, worker_pid=os.getpid())
    time.sleep(seconds)
    if fails:
        raise PermanentError("nothing will come of it")
    with record():
        Mark.objects.using(shard).create(key=key)
        enqueue(task="probe.leave_a_mark_on_its_shard", args={"key": f"{key}, continued"}, using=shard)


def bury_on_its_shard(*, key: str, **_: object) -> None:
    Burial.objects.using(current_database()).create(key=key)


def unbury_on_its_shard(*, key: str, **_: object) -> None:
    Burial.objects.using(current_database()).filter(key=key).delete()


@shared_task(name="probe.leave_a_mark_on_its_shard", has_call=False)
def leave_a_mark_on_its_shard(*, key: str) -> None:
    with record():
        Mark.objects.using(current_database()).create(key=key)


@shared_task(name="probe.start_another", has_call=False)
def start_another(*, key: str) -> None:
    """Leave a mark and enqueue what follows from it, in one transaction."""
    with record():
        Mark.objects.create(key=key)
        enqueue(task="probe.leave_a_mark", args={"key": f"{key}, continued"}, subject="order:ABC")


@shared_task(
    name="probe.fail", retry_backoff=0.2, retry_backoff_max=0.2, on_dead="tests.probe.tasks.note_burial", max_retries=2
)
def fail(*, key: str, kind: str, times: int = 1_000_000) -> None:
    """Fail ``times`` times in the way of ``kind``, then leave a mark."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    if Call.objects.filter(key=key).count() <= times:
        raise FAILURES[kind]()
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.fail_and_wait", retry_backoff=280, retry_jitter=False)
def fail_and_wait(*, key: str) -> None:
    """Fail the first time, and be tried again only minutes later."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    if Call.objects.filter(key=key).count() == 1:
        raise FAILURES["transient"]()
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.call")
def call(*, key: str, seconds: float = 0) -> None:
    """Call the provider, which takes ``seconds``, then record."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    time.sleep(seconds)
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.hang", max_retries=0, on_dead="tests.probe.tasks.fail_burial")
def hang(*, key: str) -> None:
    Call.objects.create(key=key, worker_pid=os.getpid())
    while True:
        time.sleep(1)


@shared_task(name="probe.ignore_the_time_limit")
def ignore_the_time_limit(*, key: str, times: int) -> None:
    """Go on after the soft time limit, ``times`` times, until the hard one ends the process; then leave a mark."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    while Call.objects.filter(key=key).count() <= times:
        try:
            time.sleep(1)
        except SoftTimeLimitExceeded:
            continue
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.write_a_shared_row", has_call=False)
def write_a_shared_row(*, key: str) -> None:
    """Leave a mark, and write a row that a second run of this job would have to wait for."""
    with record():
        Mark.objects.create(key=key)
        SharedRow.objects.update_or_create(key=key, defaults={"worker_pid": os.getpid()})


@shared_task(name="probe.kill_its_worker", on_dead="tests.probe.tasks.note_burial")
def kill_its_worker(*, key: str) -> None:
    Call.objects.create(key=key, worker_pid=os.getpid())
    os.kill(os.getpid(), signal.SIGKILL)


@shared_task(name="probe.leave_its_process", on_dead="tests.probe.tasks.note_burial")
def leave_its_process(*, key: str) -> None:
    """End the worker's child as a library does that calls ``exit`` in C."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    os._exit(3)


@shared_task(name="probe.charge", retry_backoff=0.2, retry_backoff_max=0.2)
def charge(*, key: str) -> None:
    """Call the provider of the chaos run, which counts, then record."""
    _charge_at_provider(key)
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.ask")
def ask(*, key: str, url: str) -> None:
    """Ask the provider at ``url``, then record."""
    _ask(key, url)
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.ask_another")
def ask_another(*, key: str, url: str) -> None:
    """Ask another provider, then record."""
    _ask(key, url)
    with record():
        Mark.objects.create(key=key)


def _ask(key: str, url: str) -> None:
    provider = http.client.HTTPConnection(url, timeout=30)
    try:
        provider.request("POST", "/", body=key)
        if provider.getresponse().status != 200:
            raise TransientError("the provider is out")
    finally:
        provider.close()


def idempotency_key() -> str:
    """The job's: every attempt sends the same."""
    claim = current_claim()
    assert claim is not None
    return f"{claim.using}:{claim.job_id}"


def _charge_at_provider(key: str) -> None:
    """One call over HTTP."""
    provider = http.client.HTTPConnection(urlsplit(os.environ["CHAOS_PROVIDER_URL"]).netloc, timeout=2)
    try:
        provider.request("POST", "/charges", body=key, headers={"Idempotency-Key": idempotency_key()})
        if provider.getresponse().status != 200:
            raise TransientError("the provider is out")
    except http.client.HTTPException as error:
        raise TransientError("the provider hung up") from error
    finally:
        provider.close()


@shared_task(name="probe.outlast_every_time_limit", max_retries=0, on_dead="tests.probe.tasks.note_burial")
def outlast_every_time_limit(*, key: str) -> None:
    Call.objects.create(key=key, worker_pid=os.getpid())
    while True:
        try:
            time.sleep(1)
        except SoftTimeLimitExceeded:
            continue


@shared_task(name="probe.take_long")
def take_long(*, key: str, seconds: float, times: int = 1_000_000) -> None:
    """Take ``seconds`` the first ``times`` times, and no time afterwards."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    if Call.objects.filter(key=key).count() <= times:
        time.sleep(seconds)
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.ignore_the_order_to_stop")
def ignore_the_order_to_stop(*, key: str) -> None:
    """Go on whatever happens, the first time."""
    Call.objects.create(key=key, worker_pid=os.getpid())
    while Call.objects.filter(key=key).count() <= 1:
        try:
            time.sleep(1)
        except BaseException:
            continue
    with record():
        Mark.objects.create(key=key)


@shared_task(name="probe.tell")
def tell(*, notification_id: int) -> None:
    """Hand a notification to the mail provider, as something that somebody waits for."""
    _tell(notification_id, urgent=True)


@shared_task(name="probe.tell_many")
def tell_many(*, notification_id: int) -> None:
    """The same, as something that many get."""
    _tell(notification_id, urgent=False)


def _tell(notification_id: int, *, urgent: bool) -> None:
    mail = Notification.objects.get(pk=notification_id)
    content = EmailContent(to_address=mail.recipient, subject=mail.subject, text="News.\n", html="<p>News.</p>")
    deliver(notification_id=notification_id, content=content, urgent=urgent)
