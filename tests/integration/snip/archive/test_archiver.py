"""The archiver against a real Redis and PostgreSQL: what it adds up and stores, and that a crash changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection, connections

from snip.archive import archiver as loop
from snip.archive import roll_up as rolling
from snip.archive import store_hours as storing
from snip.archive.erase_archives import FORGET_COUNTS, erase_archives
from snip.archive.store_hours import object_name
from snip.event import AgentClass, pack
from snip.log.age import oldest_unread_seconds
from snip.log.scrape import ClickLogCollector
from snip.models import ArchiveProgress, ClickArchive, ClickCount, ClickDay
from tests.fixtures_click_archive import NOON, STREAM, ClickLog, clicks_by, entry_id, objects_in, rows_in
from tests.fixtures_clock import Clock
from tests.query_plans import plan_for_a_large_table

pytestmark = pytest.mark.django_db

HOUR = ClickDay.By.HOUR
COUNTRY = ClickDay.By.COUNTRY
REFERRER = ClickDay.By.REFERRER


class Crash(BaseException):
    """The process ends here: nothing that catches exceptions goes on."""


def test_clicks_are_added_up_by_hour_country_and_referrer_with_bots_apart(hourly_log: ClickLog) -> None:
    hourly_log.add(country="DE", referrer="chat.example")
    hourly_log.add(country="", referrer="", at=NOON + timedelta(minutes=59))
    hourly_log.add(country="FR", referrer="chat.example", at=NOON + timedelta(hours=1))
    hourly_log.add(agent=AgentClass.BOT, at=NOON + timedelta(hours=1))

    assert hourly_log.archiver().run_once()

    first, second = (f"{(NOON + timedelta(hours=nth)).astimezone(UTC):%H}" for nth in range(2))
    assert clicks_by(HOUR) == {first: 2, second: 1}
    assert clicks_by(COUNTRY) == {"DE": 1, "": 1, "FR": 1}
    assert clicks_by(REFERRER) == {"chat.example": 2, "": 1}
    assert clicks_by(HOUR, is_bot=True) == {second: 1}


def test_each_hour_becomes_one_object_with_all_that_is_known_of_its_clicks(hourly_log: ClickLog) -> None:
    click = hourly_log.add(agent=AgentClass.PREVIEW)
    hourly_log.add(at=NOON + timedelta(minutes=1))
    hourly_log.add(at=NOON + timedelta(hours=5))

    assert hourly_log.archiver().run_once()

    objects = objects_in()
    assert set(objects) == {object_name(stream=STREAM, hour=NOON + timedelta(hours=nth)) for nth in (0, 5)}
    rows = rows_in(objects[object_name(stream=STREAM, hour=NOON)])
    assert len(rows) == 2
    assert rows[0] == {
        "id": str(click.id),
        "at": f"{NOON.astimezone(UTC):%Y-%m-%dT%H:%M}:00.000+00:00",
        "code": "k7mqx2",
        "country": "DE",
        "agent": "preview",
        "referrer": "chat.example",
    }
    assert {row.name: row.clicks for row in ClickArchive.objects.all()} == {
        name: len(rows_in(content)) for name, content in objects.items()
    }


def test_an_hour_that_is_not_over_is_in_the_sums_and_in_no_object(hourly_log: ClickLog) -> None:
    hourly_log.add(at=datetime.now(UTC))

    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == 1
    assert not objects_in()


def test_a_click_that_its_writer_sent_twice_counts_once_and_is_stored_once(hourly_log: ClickLog) -> None:
    before_noon = NOON - timedelta(milliseconds=1)
    click = hourly_log.add(at=before_noon)
    assert hourly_log.archiver().run_once()
    hourly_log.add_packed(pack(click), at=NOON + timedelta(seconds=1))  # read by a process that saw no first one

    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == 1
    assert sum(len(rows_in(content)) for content in objects_in().values()) == 1


def test_what_is_no_click_is_passed_over_and_does_not_stop_its_batch(hourly_log: ClickLog) -> None:
    for packed in (b"", b"\x01", b"\xff" * 60):
        hourly_log.add_packed(packed)
    hourly_log.client.xadd(STREAM, {b"other": b"x"}, id=entry_id(NOON))
    hourly_log.add("k7\0mqx2")  # what PostgreSQL takes in no text
    hourly_log.add(referrer="chat\0.example")
    hourly_log.add()

    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == 1


@pytest.mark.parametrize("at", [NOON - timedelta(days=30), NOON + timedelta(days=5)])
def test_a_click_whose_own_time_is_out_of_reach_is_stored_and_in_no_sum(hourly_log: ClickLog, at: datetime) -> None:
    click = hourly_log.add(at=at)
    hourly_log.client.delete(STREAM)
    hourly_log.add_packed(pack(click))

    assert hourly_log.archiver().run_once()

    assert not clicks_by(HOUR)
    assert [len(rows_in(content)) for content in objects_in().values()] == [1]


def test_a_year_that_no_calendar_has_ends_nothing(hourly_log: ClickLog) -> None:
    packed = bytearray(pack(hourly_log.add()))
    packed[1:7] = b"\xff" * 6
    hourly_log.add_packed(bytes(packed))

    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == 1
    (content,) = objects_in().values()
    assert [bool(row["at"]) for row in rows_in(content)] == [True, False]


def test_referrers_that_a_visitor_invents_fill_the_table_up_to_a_bound(
    hourly_log: ClickLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolling, "MOST_VALUES", 3)
    archiver = hourly_log.archiver()
    for number in range(3):
        hourly_log.add(referrer=f"first{number}.example")
    assert archiver.run_once()
    for number in range(5):
        hourly_log.add(referrer=f"later{number}.example")
    hourly_log.add(referrer="first0.example")
    assert archiver.run_once()

    assert clicks_by(REFERRER) == {
        "first0.example": 2,
        "first1.example": 1,
        "first2.example": 1,
        rolling.OTHERS: 5,
    }


def test_referrers_that_come_all_at_once_fill_it_no_further(
    hourly_log: ClickLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rolling, "MOST_VALUES", 3)
    for hours in (0, 1, 2):  # one day: a referrer of several hours is one row
        at = NOON + timedelta(hours=hours)
        for number in range(3):
            hourly_log.add(referrer=f"invented{hours}{number}.example", at=at)
        hourly_log.add(referrer="often.example", at=at)
    hourly_log.add(referrer="invented20.example", agent=AgentClass.BOT, at=at)
    hourly_log.add("quiet", referrer="invented1.example", at=at)
    assert hourly_log.archiver().run_once()

    assert ClickDay.objects.filter(code="k7mqx2", by=REFERRER).exclude(value=rolling.OTHERS).count() == 3
    people = clicks_by(REFERRER)
    assert people["often.example"] == 3
    assert sum(people.values()) + sum(clicks_by(REFERRER, is_bot=True).values()) == 14
    assert ClickDay.objects.get(code="quiet", by=REFERRER).value == "invented1.example"


# Crashes: the process dies at a point, another one begins where PostgreSQL says.

POINTS = {
    "read, and nothing written": (rolling, "add_page", "before"),
    "the sums written and not committed": (rolling, "_add", "after"),
    "the sums committed and the group not moved": (loop, "show_place", "before"),
    "an hour's object not yet stored": (storing, "save", "before"),
    "an hour's object stored and not written down": (storing, "save", "after"),
    "an hour written down, and the next one not begun": (storing, "_next_hour", "after the first"),
}


def _die_at(monkeypatch: pytest.MonkeyPatch, module: Any, name: str, moment: str) -> None:
    whole, calls = getattr(module, name), iter(range(100))

    def dying(*given: Any, **named: Any) -> Any:
        if moment == "before" or (moment == "after the first" and next(calls)):
            raise Crash
        result = whole(*given, **named)
        if moment == "after":
            raise Crash
        return result

    monkeypatch.setattr(module, name, dying)


@pytest.mark.parametrize("point", POINTS)
def test_a_crash_loses_nothing_and_repeats_nothing(
    hourly_log: ClickLog, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    for nth in range(30):
        hourly_log.add(f"code{nth % 3}", at=NOON + timedelta(minutes=4 * nth))
    with monkeypatch.context() as patched:
        _die_at(patched, *POINTS[point])
        with pytest.raises(Crash):
            hourly_log.archiver().run_once()
    left_behind = objects_in()

    assert hourly_log.archiver().run_once()
    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == sum(clicks_by(COUNTRY).values()) == 30
    assert sum(len(rows_in(content)) for content in objects_in().values()) == 30
    assert ClickArchive.objects.count() == len(objects_in()) == 2
    assert left_behind.items() <= objects_in().items()  # what was stored again has the same bytes


def test_an_hour_whose_row_was_lost_is_stored_again_as_the_same_object(hourly_log: ClickLog) -> None:
    hourly_log.add()
    assert hourly_log.archiver().run_once()
    stored = objects_in()
    ClickArchive.objects.all().delete()
    ArchiveProgress.objects.update(stored_until=None)

    assert hourly_log.archiver().run_once()

    assert objects_in() == stored
    assert ClickArchive.objects.count() == 1


def test_who_reads_from_a_place_that_another_has_passed_adds_nothing(hourly_log: ClickLog) -> None:
    hourly_log.add()
    reader = rolling.Reader(client=hourly_log.client, stream=STREAM)
    start = rolling.begin(stream=STREAM)
    place = rolling.place_in(start)
    (page,) = reader.pages(after=place)
    assert hourly_log.archiver().run_once()

    with pytest.raises(rolling.Overtaken):
        rolling.add_page(stream=STREAM, page=page, after=place, complete_until=NOON, now=datetime.now(UTC))

    assert sum(clicks_by(HOUR).values()) == 1


def test_a_storage_that_is_away_holds_up_no_sums(hourly_log: ClickLog, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> str:
        raise OSError("no route")

    hourly_log.add()
    with monkeypatch.context() as patched:
        patched.setattr(type(default_storage._wrapped), "save", away)  # type: ignore[attr-defined]
        assert not hourly_log.archiver().run_once()
    assert sum(clicks_by(HOUR).values()) == 1
    assert hourly_log.archiver().run_once()
    assert len(objects_in()) == 1


def test_the_group_in_redis_shows_where_the_archiver_stands(hourly_log: ClickLog) -> None:
    now = datetime.now(UTC)
    hourly_log.add(at=now - timedelta(seconds=90))

    def age() -> float:
        return oldest_unread_seconds(client=hourly_log.client, streams=[STREAM, "snip:clicks:9"], group="archiver")

    assert 89 <= age() < 120
    assert hourly_log.archiver().run_once()
    assert age() == 0
    hourly_log.add(at=now - timedelta(seconds=30))
    assert 29 <= age() < 60


def test_a_click_that_was_read_and_not_acknowledged_is_as_old_as_one_that_nobody_read(hourly_log: ClickLog) -> None:
    hourly_log.add(at=datetime.now(UTC) - timedelta(seconds=90))
    hourly_log.client.xgroup_create(STREAM, "counter", id="0")
    ((_, ((entry, _fields),)),) = hourly_log.client.xreadgroup("counter", "one", {STREAM: ">"}, count=1)
    streams = [STREAM]
    assert 89 <= oldest_unread_seconds(client=hourly_log.client, streams=streams, group="counter") < 120
    hourly_log.client.xack(STREAM, "counter", entry)
    assert oldest_unread_seconds(client=hourly_log.client, streams=streams, group="counter") == 0


def _scraped() -> dict[str, float]:
    samples = (sample for metric in ClickLogCollector().collect() for sample in metric.samples)
    return {" ".join((sample.name, *sample.labels.values())): sample.value for sample in samples}


def test_the_age_of_the_oldest_unread_click_is_told_to_whoever_scrapes_though_nobody_reads(
    hourly_log: ClickLog, settings: Any
) -> None:
    hourly_log.add(at=datetime.now(UTC) - timedelta(minutes=10))
    assert hourly_log.archiver().run_once()
    scraped = _scraped()
    assert scraped["snip_log_up"] == scraped["snip_log_entries"] == 1
    assert scraped["snip_oldest_unread_seconds archiver"] == 0
    assert 600 <= scraped["snip_oldest_unread_seconds counter"] < 700
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert _scraped() == {"snip_log_up": 0}


@pytest.fixture
def several_archivers(transactional_db: None, hourly_log: ClickLog) -> Iterator[Callable[[int], None]]:
    """Runs so many of them at once, three passes each."""

    def run(number: int) -> None:
        start = threading.Barrier(number)

        def passes() -> None:
            try:
                archiver = hourly_log.archiver()
                start.wait(timeout=10)
                for _ in range(3):
                    archiver.run_once()
            finally:
                connections.close_all()

        threads = [threading.Thread(target=passes) for _ in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)

    yield run
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE snip_archiveprogress, snip_clickarchive, snip_clickday")


def test_archivers_beside_each_other_add_and_store_everything_once(
    hourly_log: ClickLog, several_archivers: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snip.archive.read_log.PAGE", 50)
    for nth in range(600):
        hourly_log.add(at=NOON + timedelta(seconds=20 * nth))

    several_archivers(4)
    assert hourly_log.archiver().run_once()

    assert sum(clicks_by(HOUR).values()) == 600
    assert sum(len(rows_in(content)) for content in objects_in().values()) == 600
    assert ClickArchive.objects.count() == len(objects_in()) == 4


def test_objects_leave_after_400_days_and_sums_and_counts_after_800(hourly_log: ClickLog, clock: Clock) -> None:
    ClickCount.objects.create(code="k7mqx2", hour=NOON, clicks=1)
    ClickCount.objects.create(code="k7mqx2", hour=NOON + timedelta(days=400), clicks=1)
    hourly_log.add()
    hourly_log.add(at=NOON + timedelta(hours=3))
    assert hourly_log.archiver().run_once()
    clock.advance(timedelta(days=397))
    assert erase_archives() == 0
    clock.advance(timedelta(days=2))
    assert erase_archives() == 2
    assert not objects_in()
    assert not ClickArchive.objects.exists()
    assert clicks_by(HOUR)
    clock.advance(timedelta(days=403))
    assert ClickCount.objects.count() == 2
    assert erase_archives() == 0
    assert not clicks_by(HOUR)
    assert list(ClickCount.objects.values_list("hour", flat=True)) == [NOON + timedelta(days=400)]


def test_counts_whose_time_is_over_are_found_by_their_key() -> None:
    plan = plan_for_a_large_table(FORGET_COUNTS, {"days": 800}, table="snip_clickcount")

    assert "Index Only Scan using snip_clickcount_pkey" in plan or "Index Scan using snip_clickcount_pkey" in plan
    assert "Seq Scan" not in plan
