"""One limit for all workers: however many there are, their calls leave at the provider's rate, and no faster."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection, connections

from jobs.flow.heartbeats import Sign, beat
from jobs.flow.slots import most_slots_at, slots_at
from notifications.deliver import deliver
from notifications.errors import NoRoomYet
from notifications.limits import alone, shared, take
from notifications.limits.circuit import Circuit
from notifications.models import Notification
from tests.fixtures_notifications import content
from tests.network import CountingPort
from tests.processes import wait_for_end

LONGEST = take.LONGEST_WAIT_SECONDS
STRICT = 100
"""What the provider takes in any second."""
RATE = 0.99 * STRICT
NOBODY = "redis://127.0.0.1:1/0"
"""No server listens there."""


@pytest.fixture
def mail_rate(settings: Any) -> Callable[[float | None], None]:
    """Sets the rate of the mail provider; the limit that workers share begins anew."""

    def _set(rate: float | None) -> None:
        settings.LEDGER_DESTINATIONS = tuple(
            replace(each, rate_per_second=rate, limit_per_second=None) if each.name == "mail" else each
            for each in settings.LEDGER_DESTINATIONS
        )

    for key in _server().scan_iter("notifications:limit:*"):
        _server().delete(key)
    _set(RATE)
    return _set


@pytest.fixture
def fresh_circuit(monkeypatch: pytest.MonkeyPatch) -> Circuit:
    circuit = Circuit(rest_seconds=60)
    monkeypatch.setattr(take, "circuit", circuit)
    return circuit


@pytest.fixture
def redis_is_away(settings: Any, fresh_circuit: Circuit) -> None:
    settings.REDIS_URL = NOBODY


@pytest.fixture
def redis_hangs(settings: Any, fresh_circuit: Circuit) -> Iterator[CountingPort]:
    port = CountingPort()
    settings.REDIS_URL = f"redis://127.0.0.1:{port.port}/0"
    yield port
    port.close()


def _server() -> redis.Redis:
    return redis.from_url(django_settings.REDIS_URL, socket_timeout=20)


def _booked() -> list[float]:
    """When the last calls were booked for, in seconds of the server's clock, the oldest first."""
    return [score / 1e6 for _, score in _server().zrange("notifications:limit:mail", 0, -1, withscores=True)]


def _most_in_a_second(times: list[float]) -> int:
    return max(sum(begin <= other < begin + 1 for other in times) for begin in times)


def _book_many(count: int, found: Any) -> None:
    """Book places far ahead, without calling; put down when each of them is."""
    for _ in range(count):
        before = time.time()
        found.put(before + shared.book("mail", limit=STRICT, longest=3600).wait)


@pytest.mark.parametrize("workers", [1, 20])
def test_however_many_workers_ask_their_places_keep_to_the_rate(mail_rate: Callable[..., None], workers: int) -> None:
    """Places and not calls: a busy machine lets nobody call in time, and would be what is measured."""
    count = 1000
    fork = multiprocessing.get_context("fork")
    found = fork.Queue()
    processes = [fork.Process(target=_book_many, args=(count // workers, found)) for _ in range(workers)]
    for process in processes:
        process.start()
    places = sorted(found.get(timeout=30) for _ in range(count))
    for process in processes:
        wait_for_end(process)
    assert (count - 1) / (places[-1] - places[0]) == pytest.approx(STRICT, rel=0.02)
    booked = _booked()
    assert min(later - earlier for earlier, later in zip(booked, booked[STRICT:], strict=False)) > 1
    assert min(later - earlier for earlier, later in pairwise(booked)) > 0.99 * shared.CLOSENESS / STRICT


def test_calls_of_many_threads_reach_the_provider_at_its_rate(mail_rate: Callable[..., None]) -> None:
    calls: list[float] = []
    ends = time.monotonic() + 2.5

    def work() -> None:
        while time.monotonic() < ends:
            try:
                take.take("mail")
            except NoRoomYet as error:
                time.sleep(error.retry_after or 0)
                continue
            calls.append(time.monotonic())

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        wait_for_end(thread)
    calls.sort()
    # In each second as many as it takes; a machine that is busy elsewhere holds some up, and those count later.
    assert _most_in_a_second(calls) <= 1.15 * STRICT
    assert len(calls) >= 1.5 * RATE


def test_a_provider_without_a_rate_and_one_that_nobody_knows_are_called_at_once(
    mail_rate: Callable[..., None], redis_is_away: None
) -> None:
    mail_rate(None)
    take.take("mail")
    take.take("unknown")
    assert take.circuit.is_closed()


def test_who_would_wait_too_long_comes_again_later_and_takes_nobodys_place(mail_rate: Callable[..., None]) -> None:
    mail_rate(0.5)
    take.take("mail")
    with pytest.raises(NoRoomYet) as refusal:
        take.take("mail")
    assert 1.5 < (refusal.value.retry_after or 0) <= 2 + take.RETRY_SPREAD_SECONDS
    assert len(_booked()) == 1


def test_who_calls_late_moves_his_place_so_that_the_next_second_has_room_for_fewer(
    mail_rate: Callable[..., None],
) -> None:
    places = [shared.book("mail", limit=2, longest=LONGEST) for _ in range(2)]
    before = _booked()
    assert before[1] - before[0] == pytest.approx(shared.CLOSENESS / 2, abs=0.001)
    shared.note_late(places[0], seconds=0.95)
    second, first = _booked()
    assert second == before[1] < first == pytest.approx(before[0] + 0.95, abs=0.001)
    for after in (second, first):
        shared.book("mail", limit=2, longest=3600)
        assert _booked()[-1] == pytest.approx(after + 1 + shared.MARGIN_SECONDS, abs=0.001)


def test_a_call_that_left_late_says_so_after_it_has_left(mail_rate: Callable[..., None]) -> None:
    mail_rate(1000)
    turn = take.book("mail")
    turn.wait()
    turn.note_called()
    (booked,) = _booked()
    late = take.book("mail")
    time.sleep(0.05)
    late.wait()
    assert _booked()[0] == pytest.approx(booked, abs=0.005)
    late.note_called()
    assert _booked()[1] - _booked()[0] > 0.045


def test_a_provider_that_refuses_a_call_is_called_by_nobody_for_a_moment_and_others_are(
    mail_rate: Callable[..., None],
) -> None:
    before = shared.book("mail", limit=1000, longest=LONGEST)
    assert 1 < take.rest("mail", asked=7) - 6 <= 1 + take.RETRY_SPREAD_SECONDS
    assert before.wait == 0
    with pytest.raises(NoRoomYet) as refusal:
        take.book("mail")
    assert 6 < (refusal.value.retry_after or 0) <= 7 + take.RETRY_SPREAD_SECONDS
    assert shared.book("push", limit=1000, longest=LONGEST).wait == 0

    take.rest("mail", asked=None)  # nobody said for how long
    assert 0 < shared.book("mail", limit=1000, longest=LONGEST).wait <= take.REST_SECONDS
    _server().delete("notifications:limit:mail:rest", "notifications:limit:push")


def test_a_place_that_nobody_used_is_a_call_less_and_holds_nobody_up(mail_rate: Callable[..., None]) -> None:
    """Its process died."""
    for _ in range(2):
        shared.book("mail", limit=2, longest=3600)
    assert shared.book("mail", limit=2, longest=3600).wait <= 1 + shared.MARGIN_SECONDS
    assert 0 < _server().pttl("notifications:limit:mail") < 5000, "and is forgotten"


def test_the_places_of_one_provider_are_not_those_of_another(mail_rate: Callable[..., None]) -> None:
    _server().delete("notifications:limit:push")
    assert shared.book("mail", limit=0.5, longest=3600).wait == 0
    assert shared.book("push", limit=0.5, longest=3600).wait == 0
    assert shared.book("mail", limit=0.5, longest=3600).wait > 1.9
    _server().delete("notifications:limit:push")


@pytest.mark.parametrize("limits", [(100, 50), (50, 100)])
def test_while_a_deploy_changes_the_limit_each_keeps_to_the_one_it_knows(
    mail_rate: Callable[..., None], limits: tuple[int, int]
) -> None:
    """Two versions of the program take turns, and the larger limit is not exceeded because of the smaller one."""
    for number in range(400):
        shared.book("mail", limit=limits[number % 2], longest=3600)
    booked = _booked()
    assert min(later - earlier for earlier, later in zip(booked, booked[100:], strict=False)) > 1


def test_a_limit_that_is_no_whole_number_is_kept_over_a_longer_while(mail_rate: Callable[..., None]) -> None:
    for _ in range(30):
        shared.book("mail", limit=2.5, longest=3600)
    booked = _booked()
    assert (len(booked) - 1) / (booked[-1] - booked[0]) == pytest.approx(2.5, rel=0.05)


def test_a_redis_that_was_wiped_stops_nobody_and_begins_anew(mail_rate: Callable[..., None]) -> None:
    place = shared.book("mail", limit=0.5, longest=3600)
    _server().delete("notifications:limit:mail")
    shared.note_late(place, seconds=1)
    assert _booked() == [], "a place that is not there is not moved"
    assert shared.book("mail", limit=0.5, longest=LONGEST).wait == 0


def test_a_server_whose_clock_was_set_back_stops_nobody(mail_rate: Callable[..., None]) -> None:
    _server().zadd("notifications:limit:mail", {"of tomorrow": (time.time() + 86_400) * 1e6})
    assert shared.book("mail", limit=STRICT, longest=LONGEST).wait == 0


def test_without_redis_a_call_waits_for_it_once_and_the_log_says_so_once(
    mail_rate: Callable[..., None], redis_is_away: None, transactional_db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    mail_rate(1e6)
    for _ in range(5):
        take.take("mail")
    assert capsys.readouterr().out.count("limit_kept_alone") <= 1
    assert not take.circuit.is_closed()
    assert take.metrics.ALONE._value.get() == 1


def test_a_redis_that_does_not_answer_holds_a_call_up_for_less_than_a_second(
    mail_rate: Callable[..., None], redis_hangs: CountingPort, transactional_db: None
) -> None:
    mail_rate(1e6)
    began = time.monotonic()
    take.take("mail")
    once = time.monotonic() - began
    for _ in range(20):
        take.take("mail")
    assert once < 1.5
    assert time.monotonic() - began < once + shared.TIMEOUT_SECONDS, "only the first one waits"
    assert 1 <= len(redis_hangs.connections) <= 4


def test_a_redis_that_is_back_is_asked_again(
    mail_rate: Callable[..., None], monkeypatch: pytest.MonkeyPatch, settings: Any, transactional_db: None
) -> None:
    monkeypatch.setattr(take, "circuit", Circuit(rest_seconds=0))
    mail_rate(1e6)
    url = settings.REDIS_URL
    settings.REDIS_URL = NOBODY
    take.take("mail")
    settings.REDIS_URL = url
    take.take("mail")
    assert take.metrics.ALONE._value.get() == 0
    assert len(_booked()) == 1


def _alive(name: str, *, concurrency: int, queues: list[str]) -> None:
    beat(
        Sign(name=name, kind="worker", queues=queues, concurrency=concurrency, prefetch=concurrency),
        using="default",
        started_at=None,
    )


def test_without_redis_all_threads_of_all_workers_together_stay_below_the_rate(transactional_db: None) -> None:
    _alive("one", concurrency=4, queues=["messages", "bulk"])
    _alive("two", concurrency=16, queues=["bulk"])
    _alive("another pool", concurrency=50, queues=["default"])
    assert slots_at(destination="mail") == 20
    calls: list[list[tuple[float, float]]] = []

    def call() -> tuple[float, float]:
        """The earliest and the latest moment that the place can be."""
        before = time.monotonic()
        wait = alone.book("mail", rate=RATE).wait
        return before + wait, time.monotonic() + wait

    def work() -> None:
        alone.book("mail", rate=RATE)  # counts the workers
        calls.append([call() for _ in range(3)])
        connections.close_all()

    began = time.monotonic()

    threads = [threading.Thread(target=work) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        wait_for_end(thread)
    spacing = 20 / RATE
    assert len(calls) == 20
    for places in calls:
        assert all(later[1] - earlier[0] >= spacing - 0.001 for earlier, later in pairwise(places))
    firsts = sorted(places[0][1] for places in calls)
    assert firsts[-1] - firsts[0] > spacing / 4, "they do not begin all at once"
    assert firsts[0] > began


def test_without_redis_a_small_part_is_waited_for_and_not_given_back_again_and_again(transactional_db: None) -> None:
    _alive("many", concurrency=320, queues=["bulk"])
    places: list[alone.Place] = []

    def work() -> None:
        places.extend(alone.book("mail", rate=STRICT) for _ in range(2))
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    wait_for_end(thread)
    assert [place.booked for place in places] == [True, places[1].wait <= alone.LONGEST_WAIT_SECONDS]
    assert places[1].wait > 3


def test_without_redis_and_without_a_sign_of_workers_the_rate_is_shared_by_as_many_as_may_run(
    transactional_db: None,
) -> None:
    assert slots_at(destination="mail") == 0
    assert alone._slots("mail") == most_slots_at(destination="mail") >= 40
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def test_a_circuit_lets_one_try_after_its_rest_and_the_others_go_on_without(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("notifications.limits.circuit.time.monotonic", lambda: now[0])
    circuit = Circuit(rest_seconds=5)
    assert circuit.is_closed()
    assert (circuit.note_failure(), circuit.note_failure()) == (True, False)
    assert not circuit.is_closed()
    now[0] += 5
    assert (circuit.is_closed(), circuit.is_closed()) == (True, False)
    assert (circuit.note_success(), circuit.note_success()) == (True, False)
    assert (circuit.is_closed(), circuit.is_closed()) == (True, True)


@pytest.mark.parametrize("way", ["esp", "smtp"])
def test_a_mail_for_which_there_is_no_room_is_not_handed_over_and_comes_again(
    request: pytest.FixtureRequest,
    mail_rate: Callable[..., None],
    queued_notification: Notification,
    way: str,
) -> None:
    server = request.getfixturevalue("esp" if way == "esp" else "mail_server")
    mail_rate(0.5)
    take.take("mail")
    with pytest.raises(NoRoomYet):
        deliver(notification_id=queued_notification.pk, content=content())
    queued_notification.refresh_from_db()
    assert queued_notification.status == "queued"
    assert (server.mailbox if way == "esp" else server).messages() == []
