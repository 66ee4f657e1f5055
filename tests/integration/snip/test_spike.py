"""A spike of clicks, played for seconds with a counter of its own: nothing of it is left, and no real count moves."""

from __future__ import annotations

import io
import multiprocessing
import re
from pathlib import Path

import pytest
import redis
from django.core.management import CommandError, call_command
from django.db import connection

from snip.event import unpack
from snip.log.streams import FIELD
from snip.management.commands import spike
from snip.models import ProcessedClick
from snip.spike.counters import READY, is_ready
from snip.spike.ground import SCHEMA, STREAMS, own_ground
from snip.spike.write import LogFull, Writer
from tests.fixtures_clicks import counted, some_clicks, write_clicks
from tests.ledger import real_commits

pytestmark = [real_commits, pytest.mark.usefixtures("no_click_partitions")]


def test_a_spike_is_counted_to_the_last_click_and_leaves_nothing_behind(
    log_to_count: redis.Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spike, "CALIBRATION", 2_000)
    monkeypatch.setattr(spike, "LEAD_SECONDS", 0.5)
    drawing, out = tmp_path / "spike.svg", io.StringIO()

    call_command("spike", rate=300, seconds=1.5, svg=drawing, stdout=out)

    (written, in_counts) = re.search(r"Written: ([\d,]+) clicks\. In the counts: ([\d,]+)\.", out.getvalue()).groups()  # type: ignore[union-attr]
    assert written == in_counts
    assert "Little's law" in out.getvalue()
    assert drawing.read_text().startswith("<svg")
    assert counted() == (0, 0)
    assert not ProcessedClick.objects.exists()
    assert not leftovers(log_to_count)


def test_a_spike_is_refused_where_real_clicks_are(log_to_count: redis.Redis) -> None:
    write_clicks(log_to_count, some_clicks(1))

    with pytest.raises(CommandError, match="--beside-real-clicks"):
        call_command("spike", rate=300, seconds=1)


def test_a_counter_that_ends_without_a_word_is_heard_of_at_once_and_one_that_speaks_to_nobody_goes_on() -> None:
    hears, says = multiprocessing.Pipe(duplex=False)
    says.send_bytes(READY)
    assert is_ready(hears)
    says.close()
    assert not is_ready(hears)
    hears, says = multiprocessing.Pipe(duplex=False)
    hears.close()
    with pytest.raises(BrokenPipeError):  # an event would be waited for, by whoever sets it
        says.send_bytes(READY)


def test_two_spikes_at_once_are_refused(log_to_count: redis.Redis) -> None:
    with own_ground(client=log_to_count), pytest.raises(CommandError, match="Another spike"):
        call_command("spike", rate=300, seconds=1)


def test_what_a_killed_spike_has_left_is_gone_with_the_next(log_to_count: redis.Redis) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {SCHEMA}")
    log_to_count.xadd(STREAMS[0], {FIELD: b"left"})

    with own_ground(client=log_to_count):
        assert not log_to_count.exists(STREAMS[0])

    assert not leftovers(log_to_count)


def test_the_writer_writes_different_clicks_evenly_and_stops_at_the_bound(log_to_count: redis.Redis) -> None:
    with own_ground(client=log_to_count):
        writer = Writer(client=log_to_count, codes=3, length=4000)
        writer.write(3000)
        entries = [log_to_count.xrange(stream) for stream in STREAMS]
        clicks = [unpack(fields[FIELD]) for each in entries for _, fields in each]

        assert len({click.id for click in clicks}) == 3000
        assert {click.code for click in clicks} == {"spike0", "spike1", "spike2"}
        assert max(map(len, entries)) - min(map(len, entries)) <= 500
        with pytest.raises(LogFull):
            writer.write(3000)


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": 601}, {"times": 1}, {"counters": 0}, {"rate": 1e9}])
def test_a_spike_without_bounds_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(CommandError):
        call_command("spike", **wrong)


def leftovers(client: redis.Redis) -> list[bytes]:
    """What there still is of spikes: keys of Redis, and the schema."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname = %s", [SCHEMA])
        return [*client.keys("snip:spike:*"), *(name.encode() for (name,) in cursor.fetchall())]
