"""Two beats for a test, of which one ticks, and a schedule for them."""

from __future__ import annotations

from jobs.clock import DatabaseNow
from jobs.models import Lease
from tests.probe_schedules import ProbeSchedule, add_schedule
from tests.processes import Process, System, wait_for


class Beats(System):
    """Two beats, of which one ticks, and a schedule for them."""

    schedule: ProbeSchedule | None = None

    def put_right(self) -> None:
        """Start what is missing, let one of those that live tick, and give it something to do."""
        self.processes = [beat for beat in self.processes if beat.alive]
        while len(self.processes) < 2:
            self.start_beat(wait=False)
        for beat in self.processes:
            beat.resume()
            beat.wait_until_ready()
        if self.ticking() is None:
            end_lease()
        wait_for(lambda: self.ticking() is not None, what="a beat ticks")
        if self.schedule is None:
            self.schedule = add_schedule(seconds=600)
            wait_for(self.schedule.next_run_at, what="a beat plans it")

    def ticking(self) -> Process | None:
        """The one that holds the lease."""
        lease = Lease.objects.filter(name="beat", until__gt=DatabaseNow()).first()
        return next((beat for beat in self.processes if lease and lease.owner.endswith(f":{beat.pid}")), None)

    def pair(self) -> tuple[Process, Process]:
        """The one that ticks, and the one that stands by."""
        first = self.ticking()
        assert first is not None
        (second,) = (beat for beat in self.processes if beat is not first)
        return first, second

    def wait_until_ticks(self, beat: Process, *, seconds: float) -> None:
        wait_for(lambda: self.ticking() is beat, seconds=seconds, what=f"{beat.pid} ticks")


def end_lease() -> None:
    """Let the lease run out, as by waiting."""
    Lease.objects.filter(name="beat").update(until=DatabaseNow())
