"""Jobs of an ordering key run one after the other in their order, though workers die and two relays hand them out."""

from __future__ import annotations

from django.db import transaction

from jobs.enqueue import enqueue
from jobs.models import Job
from tests.failpoints import Failpoints
from tests.ledger import assert_marked_once, real_commits, wait_until_done
from tests.probe.models import Mark
from tests.processes import LiveSystem

pytestmark = real_commits

KEYS, IN_EACH = 8, 15


def test_jobs_of_a_key_run_in_their_order_under_kills_and_two_relays(live: LiveSystem, failpoints: Failpoints) -> None:
    live.start_relay()
    for point in ("after the claim", "after the effect, before done", "after done, before its commit"):
        failpoints.arm(point, "kill", times=3, every=20)
    jobs = []
    for place in range(IN_EACH):
        with transaction.atomic():
            jobs += [
                enqueue(
                    task="probe.call",
                    args={"key": f"{key} {place:02}"},
                    ordering_key=f"order {key}",
                    priority=place % 10,  # which must not matter
                )
                for key in range(KEYS)
            ]
    wait_until_done(jobs, seconds=60)
    marks = list(Mark.objects.order_by("id").values_list("key", flat=True))
    assert_marked_once([f"{key} {place:02}" for key in range(KEYS) for place in range(IN_EACH)])
    for key in range(KEYS):
        of_this = [mark for mark in marks if mark.startswith(f"{key} ")]
        assert of_this == sorted(of_this), of_this
    assert sum(Job.objects.values_list("token", flat=True)) > len(jobs)  # some were killed, and ran again
