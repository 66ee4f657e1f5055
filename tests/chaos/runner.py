"""Runs the faults one after the other, each on an empty ledger and an empty broker, and prints a line for each."""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Iterable, Sequence, Set

from django.core.management import call_command
from django.db import connection

from jobs.models import Job
from tests.chaos import beats, brokers, database, poison, relay, web, workers
from tests.chaos.crew import Crew
from tests.chaos.faults import ALL, Fault
from tests.chaos.provider import Provider
from tests.chaos.scene import Scene, TookTooLong
from tests.chaos.servers import Servers
from tests.chaos.verdict import Verdict
from tests.failpoints import Failpoints
from tests.fixtures_jobs import empty
from tests.probe.models import Mark

EMPTY_THE_LEDGER = """
    TRUNCATE jobs_job, jobs_deadletter, jobs_lease, jobs_schedule, jobs_scheduledrun, django_celery_beat_periodictask,
             probe_mark, probe_call, probe_burial, probe_sharedrow, probe_purchase
"""
FAMILIES = (web, relay, workers, brokers, database, poison, beats)
"""In the order of the run. Their import has entered their faults into the list."""
EVIDENCE = ("id", "state", "reason", "error", "attempts", "deliveries", "publish_number", "token", "worker")
STILL_SECONDS = 180
"""Beyond a fault's own time, to begin and to clear up. A run that stands still then says where, and ends."""
TAIL = 100
"""Lines of each process's output that are shown for a fault that went wrong."""


def run_all(servers: Servers, options: Namespace) -> int:
    """Run the chosen faults on the chosen brokers; return the exit status."""
    call_command("migrate", verbosity=0)
    began = time.monotonic()
    families = [family.__name__.rpartition(".")[2] for family in FAMILIES]
    faults = sorted((fault for fault in ALL if _is_chosen(fault, options)), key=lambda one: families.index(one.family))
    provider, failpoints = Provider(), Failpoints(servers.folder / "failpoints")
    failpoints.folder.mkdir(exist_ok=True)
    verdicts: list[Verdict] = []
    for broker in options.broker:
        crew = Crew(_environment(servers, provider, failpoints, broker, options), web_port=servers.web_port())
        runner = Runner(
            broker=broker, servers=servers, crew=crew, failpoints=failpoints, provider=provider,
            jobs=options.jobs, seed=options.seed, output=options.output,
        )  # fmt: skip
        try:
            verdicts += runner.run(one for one in faults if one.each_broker or broker == options.broker[0])
        finally:
            crew.stop()
    faulthandler.cancel_dump_traceback_later()
    return _sum_up(verdicts, seed=options.seed, seconds=time.monotonic() - began)


def _is_chosen(fault: Fault, options: Namespace) -> bool:
    if options.only:
        return any(text in f"{fault.family}: {fault.name}" for text in options.only)
    return fault.short or not options.short


def _environment(
    servers: Servers, provider: Provider, failpoints: Failpoints, broker: str, options: Namespace
) -> dict[str, str]:
    """What the processes under chaos are told: this process's own environment, their broker, and where to fail."""
    environment = {
        **os.environ,
        "BROKER_URL": servers.broker_url(broker),
        "FAILPOINTS": str(failpoints.folder),
        "CHAOS_PROVIDER_URL": provider.url,
        "LOG_LEVEL": "INFO",
    }
    if options.sabotage:
        environment["SABOTAGE"] = options.sabotage
    return environment


def _sum_up(verdicts: Sequence[Verdict], *, seed: int, seconds: float) -> int:
    wrong = [verdict for verdict in verdicts if not verdict.is_right]
    lost = sum(len(verdict.observed.lost) for verdict in verdicts)
    duplicated = sum(len(verdict.observed.duplicated) for verdict in verdicts)
    jobs = sum(len(verdict.observed.states) for verdict in verdicts)
    fired = sum(verdict.fired for verdict in verdicts)
    say(
        f"chaos: {len(verdicts)} faults, {len(wrong)} of them wrong, in {seconds:.0f} s, seed {seed}:"
        f" jobs={jobs} fired={fired} lost={lost} duplicated={duplicated}"
    )
    return 1 if wrong or not verdicts else 0


class Runner:
    """The faults on one broker, with one set of processes as far as they survive."""

    def __init__(
        self,
        *,
        broker: str,
        servers: Servers,
        crew: Crew,
        failpoints: Failpoints,
        provider: Provider,
        jobs: int,
        seed: int,
        output: bool = False,
    ) -> None:
        self.broker = broker
        self.servers = servers
        self.crew = crew
        self.failpoints = failpoints
        self.provider = provider
        self.jobs = jobs
        self.seed = seed
        self.output = output
        self._printed_before: dict[int, int] = {}

    def run(self, faults: Iterable[Fault]) -> list[Verdict]:
        verdicts = []
        for fault in faults:
            verdict = self._run(fault)
            say(verdict.line())
            if not verdict.is_right:
                for problem in verdict.all_problems:
                    say(f"  !! {problem}")
            if self.output or not verdict.is_right:
                self._say_what_was_printed()
            if not verdict.is_right:
                self.crew.stop()  # nothing of this one must meet the next
            verdicts.append(verdict)
        return verdicts

    def _run(self, fault: Fault) -> Verdict:
        faulthandler.dump_traceback_later(fault.seconds + STILL_SECONDS, exit=True)
        scene = self._scene(fault)
        began = time.time()
        try:
            self._set(fault)
            self._printed_before = {process.pid: len(process.output) for process in self.crew.processes}
            scene.begin()
            began = time.time()
            fault.act(scene)
            scene.until_all_ended()
        except TookTooLong as error:
            scene.problems.append(str(error))
        except Exception as error:
            scene.problems.append(f"the harness failed: {type(error).__name__}: {error}")
            traceback.print_exc()
        ended = time.time()
        observed = scene.observe()
        self._note_evidence(scene, observed.lost | observed.duplicated)
        return Verdict(
            fault=f"{fault.family}: {fault.name}",
            broker=self.broker,
            observed=observed,
            fired=scene.times_fired,
            calls=sum(self.provider.calls.values()),
            seconds=ended - began,
            recovered=max(0.0, ended - scene.last_fired_at) if scene.times_fired else 0.0,
            problems=tuple(scene.problems),
        )

    def _set(self, fault: Fault) -> None:
        """Everything empty, and everybody at work."""
        self.failpoints.disarm()
        self.crew.end_beats()
        with connection.cursor() as cursor:
            cursor.execute(EMPTY_THE_LEDGER)
        empty(self.servers.broker_url(self.broker))
        self.provider.forget()
        self.crew.replace_the_dead(relays=fault.relays, web=fault.web, beats=fault.beats)
        self.crew.wait_until_ready()

    def _scene(self, fault: Fault) -> Scene:
        return Scene(
            fault=fault,
            broker=self.broker,
            servers=self.servers,
            crew=self.crew,
            failpoints=self.failpoints,
            provider=self.provider,
            jobs=max(1, round(self.jobs * fault.jobs)),
            chance=random.Random(f"{self.seed} {fault.name} {self.broker}"),
            web_port=self.crew.web_port,
        )

    def _note_evidence(self, scene: Scene, keys: Set[str]) -> None:
        """What the ledger and the provider say of keys that are not as they must be."""
        for key in sorted(keys)[:5]:
            rows = list(Job.objects.filter(args__key=key).values(*EVIDENCE))
            calls, effects = self.provider.calls[key], self.provider.effects[key]
            marks = Mark.objects.filter(key=key).count()
            scene.problems.append(f"{key}: marks={marks} calls={calls} effects={effects} jobs={rows}")

    def _say_what_was_printed(self) -> None:
        for process in self.crew.processes:
            say(f"  --- {process.name} ---")
            for line in process.output[self._printed_before.get(process.pid, 0) :][-TAIL:]:
                say(f"  {line.rstrip()}"[:400])


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
