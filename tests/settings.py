"""The settings of the tests: production's, and a probe app whose jobs count what happened to them."""

import os

from tests.own_servers import take_own_servers
from tests.payment_keys import API_KEY, WEBHOOK_SECRET

take_own_servers()  # before the settings read where the servers are
# Whatever the surroundings say: the payment provider's stand-in of the tests is started with these as well.
os.environ["STRIPE_API_KEY"], os.environ["STRIPE_WEBHOOK_SECRET"] = API_KEY, WEBHOOK_SECRET
os.environ["VAPID_PRIVATE_KEY"] = "Xbb6D6DYOtuxFbEumu9QdMXFmprNwnnPtLC_YgUM1YE"

# ruff: noqa: E402
from config.settings import *  # noqa: F403
from config.settings import (
    INSTALLED_APPS,
    LEDGER_DESTINATIONS,
    LEDGER_EVENTS,
    LEDGER_POOLS,
    LEDGER_QUEUES,
    LEDGER_TASKS,
)
from jobs.broker.topology import work_queues
from jobs.destinations import Destination
from jobs.queues import Pool, Queue

INSTALLED_APPS = [*INSTALLED_APPS, "tests.probe"]

# Its tasks call providers, so that it fetches nothing in advance. Workers that tests start by hand may do so.
LEDGER_POOLS = (*LEDGER_POOLS, Pool("probe", purpose="Workers of the tests.", concurrency=2, prefetch=1))
# Short limits: what takes a minute in production takes seconds here.
PROBE_QUEUE = Queue(
    "probe",
    purpose="Jobs of the tests.",
    pool="probe",
    window=50,
    horizon_seconds=2,
    soft_limit_seconds=2,
    hard_limit_seconds=3,
    lease_seconds=4,
)
# Jobs that may take longer than a worker that is told to stop waits for them.
SLOW_PROBE_QUEUE = Queue(
    "probe_slow",
    purpose="Long jobs of the tests.",
    pool="probe",
    window=50,
    horizon_seconds=2,
    soft_limit_seconds=30,
    hard_limit_seconds=40,
    lease_seconds=50,
)
LEDGER_QUEUES = (*LEDGER_QUEUES, PROBE_QUEUE, SLOW_PROBE_QUEUE)
CELERY_TASK_QUEUES = work_queues(LEDGER_QUEUES)
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 1
LEDGER_WATCHDOG_SECONDS = float(os.environ.get("TEST_WATCHDOG_SECONDS", "0.5"))
LEDGER_TASKS = {
    **LEDGER_TASKS,
    "probe.leave_a_mark": "probe",
    "probe.start_another": "probe",
    "probe.work_on_its_shard": "probe",
    "probe.leave_a_mark_on_its_shard": "probe",
    "probe.fail": "probe",
    "probe.fail_and_wait": "probe",
    "probe.call": "probe",
    "probe.hang": "probe",
    "probe.ignore_the_time_limit": "probe",
    "probe.write_a_shared_row": "probe",
    "probe.kill_its_worker": "probe",
    "probe.leave_its_process": "probe",
    "probe.charge": "probe",
    "probe.ask": "probe",
    "probe.ask_another": "probe",
    "probe.unknown_to_workers": "probe",
    "probe.outlast_every_time_limit": "probe",
    "probe.take_long": "probe_slow",
    "probe.ignore_the_order_to_stop": "probe_slow",
    "probe.tell": "messages",
    "probe.tell_many": "bulk",
}
# Providers that tests let fail; short waits, so that they are soon taken for back.
LEDGER_DESTINATIONS = (
    *LEDGER_DESTINATIONS,
    Destination(
        "probe_provider",
        purpose="A provider of the tests.",
        tasks=("probe.ask",),
        failures_to_open=5,
        first_wait_seconds=0.3,
        longest_wait_seconds=0.6,
    ),
    Destination("probe_other", purpose="Another provider of the tests.", tasks=("probe.ask_another",)),
)
LEDGER_EVENTS = {**LEDGER_EVENTS, "tests.ProbeHappened": ("probe.leave_a_mark",)}
LEDGER_SCHEDULE = ()  # what the beats of a test enqueue is what it asks for

STORAGES = {
    **STORAGES,  # noqa: F405
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
STAFF_SECOND_FACTOR = False  # tests of it turn it on
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Static files straight from the sources: nothing is collected for a test.
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
