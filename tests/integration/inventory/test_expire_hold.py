"""The job that each hold leaves for its end: it ends what has lapsed, and leaves alone what has changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.transaction import TransactionManagementError

from inventory.confirm_hold import confirm_hold
from inventory.end_lapsed_holds import end_lapsed_holds
from inventory.errors import SeatsTaken
from inventory.expire_hold import expire_hold
from inventory.expire_holds import expire_holds
from inventory.hold_seats import hold_best_seats, hold_seats
from inventory.models import Hold, PriceTier, Seat, Show
from inventory.release_hold import release_hold
from jobs import gates, transitions
from jobs.clock import DatabaseNow
from jobs.models import Job
from jobs.worker.execution import Outcome
from tests.expired_holds import counting, real_commits, somebody_waits_for_a_lock
from tests.fixtures_boxoffice import statements
from tests.fixtures_clock import Clock
from tests.fixtures_inventory import let_lapse, seat_ids, statuses
from tests.processes import wait_for

HOLD_LASTS = timedelta(minutes=10)


def jobs_of(hold: Hold) -> list[Job]:
    return list(Job.objects.filter(subject=f"hold:{hold.pk}").order_by("pk"))


def run_on_another_connection(hold: Hold) -> bool:
    try:
        with transaction.atomic():
            return expire_hold(hold_id=hold.pk)
    finally:
        connection.close()


def extend(hold: Hold, by: timedelta) -> None:
    Hold.objects.filter(pk=hold.pk).update(expires_at=hold.expires_at + by)
    hold.refresh_from_db()


@pytest.fixture
def run_jobs_that_are_due(work: Callable[[int], Outcome]) -> Callable[[], int]:
    """Publish what is due in the queue of the holds, and run it in this process; returns how many ran."""

    def _run() -> int:
        # Counts of free seats are not what is counted here.
        Job.objects.filter(task="inventory.count_free_seats").delete()
        gates.open_later(using="default")
        marked = transitions.mark_due(using="default", queue="default", window=1000, batch=1000)
        for message in marked.messages:
            assert work(message.job_id) is Outcome.SETTLED
        return len(marked.messages)

    return _run


@pytest.mark.django_db
def test_every_hold_leaves_one_job_for_its_end(show_on_sale: Show) -> None:
    house = PriceTier.objects.get(show=show_on_sale, name="House")
    chosen = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "A-2"))
    best = hold_best_seats(show_id=show_on_sale.pk, tier_id=house.pk, count=2)

    for hold in (chosen, best):
        (job,) = jobs_of(hold)
        assert (job.task, job.args, job.state) == ("inventory.expire_hold", {"hold_id": hold.pk}, "waiting")
        assert (job.gate, job.available_at) == ("later", hold.expires_at)


@pytest.mark.django_db
def test_a_hold_that_was_refused_leaves_no_job(show_on_sale: Show, held_seats: Hold) -> None:
    with pytest.raises(SeatsTaken):
        hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-2", "A-3"))

    assert Job.objects.count() == 1


@pytest.mark.django_db
def test_the_job_costs_one_query(show_on_sale: Show) -> None:
    chosen = seat_ids(show_on_sale, "A-1", "A-2")
    with statements() as seen:
        hold_seats(show_id=show_on_sale.pk, seat_ids=chosen)

    assert ["jobs_job" in sql for sql in seen].count(True) == 1
    assert len(seen) == 7, "\n".join(seen)


@pytest.mark.django_db
def test_a_hold_whose_time_is_over_ends_and_its_seats_are_free(show_on_sale: Show, lapsed_hold: Hold) -> None:
    with transaction.atomic():
        assert expire_hold(hold_id=lapsed_hold.pk)

    lapsed_hold.refresh_from_db()
    assert lapsed_hold.status == "expired"
    assert statuses(show_on_sale)["A-1"] == "available"
    assert {seat.version for seat in Seat.objects.filter(pk__in=lapsed_hold.seat_ids)} == {3}


@pytest.mark.django_db
def test_a_second_run_changes_nothing(show_on_sale: Show, lapsed_hold: Hold) -> None:
    with transaction.atomic():
        expire_hold(hold_id=lapsed_hold.pk)
    hold_seats(show_id=show_on_sale.pk, seat_ids=lapsed_hold.seat_ids)

    with transaction.atomic():
        assert not expire_hold(hold_id=lapsed_hold.pk)

    assert statuses(show_on_sale)["A-1"] == "held"
    assert {seat.version for seat in Seat.objects.filter(pk__in=lapsed_hold.seat_ids)} == {4}


@pytest.mark.django_db
@pytest.mark.parametrize("ended", ["confirmed", "released", "expired"])
def test_a_hold_that_has_ended_is_left_alone_with_one_query(show_on_sale: Show, held_seats: Hold, ended: str) -> None:
    if ended == "confirmed":
        with transaction.atomic():
            confirm_hold(hold_id=held_seats.pk)
    elif ended == "released":
        release_hold(token=held_seats.token)
    let_lapse(held_seats)
    expire_holds()
    before = statuses(show_on_sale)

    with transaction.atomic(), statements() as seen:
        assert not expire_hold(hold_id=held_seats.pk)

    held_seats.refresh_from_db()
    assert (held_seats.status, statuses(show_on_sale)) == (ended, before)
    assert len(seen) == 1, "\n".join(seen)


@pytest.mark.django_db
def test_a_hold_that_is_gone_is_no_error(db: None) -> None:
    with transaction.atomic():
        assert not expire_hold(hold_id=0)


@real_commits
def test_outside_a_transaction_no_hold_ends(lapsed_hold: Hold) -> None:
    with pytest.raises(TransactionManagementError):
        end_lapsed_holds(hold_ids=[lapsed_hold.pk], way="job")


@real_commits
def test_the_job_ends_its_hold_when_its_time_is_over_and_not_before(
    run_jobs_that_are_due: Callable[[], int], show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    clock.advance(HOLD_LASTS - timedelta(seconds=5))
    assert run_jobs_that_are_due() == 0
    assert statuses(show_on_sale)["A-1"] == "held"

    clock.advance(timedelta(seconds=5))
    with counting() as counted:
        assert run_jobs_that_are_due() == 1

    assert statuses(show_on_sale)["A-1"] == "available"
    assert [job.state for job in jobs_of(held_seats)] == ["done"]
    assert counted.expired == {"job": 1}


@real_commits
def test_the_job_of_a_hold_whose_end_was_moved_comes_again_at_the_new_end(
    run_jobs_that_are_due: Callable[[], int], show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    extend(held_seats, timedelta(minutes=5))
    clock.advance(HOLD_LASTS)
    assert run_jobs_that_are_due() == 1

    assert statuses(show_on_sale)["A-1"] == "held"
    first, second = jobs_of(held_seats)
    assert (first.state, second.state, second.available_at) == ("done", "waiting", held_seats.expires_at)

    extend(held_seats, timedelta(minutes=5))
    clock.advance(timedelta(minutes=5))
    assert run_jobs_that_are_due() == 1
    clock.advance(timedelta(minutes=5))
    assert run_jobs_that_are_due() == 1

    assert statuses(show_on_sale)["A-1"] == "available"
    assert [job.state for job in jobs_of(held_seats)] == ["done"] * 3


@real_commits
def test_a_hold_that_is_extended_while_its_job_waits_for_it_goes_on(
    show_on_sale: Show, held_seats: Hold, clock: Clock
) -> None:
    """The job finds the hold locked, by whoever moves its end; what it reads then is the new end."""
    clock.advance(HOLD_LASTS)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            extend(held_seats, timedelta(minutes=5))
            running = pool.submit(run_on_another_connection, held_seats)
            wait_for(somebody_waits_for_a_lock, what="the job waits for the hold")
        assert running.result(timeout=30) is False

    assert statuses(show_on_sale)["A-1"] == "held"
    assert jobs_of(held_seats)[-1].available_at == held_seats.expires_at


@real_commits
def test_a_job_that_runs_twice_ends_one_hold_and_counts_it_once(
    run_jobs_that_are_due: Callable[[], int], held_seats: Hold, clock: Clock
) -> None:
    clock.advance(HOLD_LASTS)
    with counting() as counted:
        run_jobs_that_are_due()
        Job.objects.filter(subject=f"hold:{held_seats.pk}").update(
            state="waiting", gate="ready", available_at=DatabaseNow()
        )
        assert run_jobs_that_are_due() == 1

    assert counted.expired == {"job": 1}
    assert {seat.version for seat in Seat.objects.filter(pk__in=held_seats.seat_ids)} == {3}


@real_commits
def test_a_run_that_lost_its_lease_ends_no_hold_and_counts_none(
    held_seats: Hold, clock: Clock, work: Callable[[int], Outcome]
) -> None:
    clock.advance(HOLD_LASTS)
    gates.open_later(using="default")
    Job.objects.filter(task="inventory.count_free_seats").delete()
    (message,) = transitions.mark_due(using="default", queue="default", window=10, batch=10).messages
    with connection.cursor() as cursor:  # somebody else claims the job while this run is in its transaction
        cursor.execute(
            """
            CREATE FUNCTION displace() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN UPDATE jobs_job SET token = token + 1; RETURN NEW; END $$;
            CREATE TRIGGER displace BEFORE UPDATE ON inventory_hold FOR EACH ROW EXECUTE FUNCTION displace();
            """
        )
    try:
        with counting() as counted:
            work(message.job_id)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION displace CASCADE")

    held_seats.refresh_from_db()
    assert (held_seats.status, counted.expired) == ("active", {})
