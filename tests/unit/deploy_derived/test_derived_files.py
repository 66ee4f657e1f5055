"""What follows from the tables of queues and pools says what the tables say."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
import yaml
from prometheus_client import Counter, Gauge, Histogram

from config.destinations import DESTINATIONS
from config.queues import POOLS, QUEUES
from config.routes import TASKS
from config.schedule import SCHEDULE
from deploy.derived import alerts, keda, procfile, queues_page
from deploy.derived.__main__ import derived_files, main
from deploy.derived.schedule_alerts import seconds_until_late
from deploy.local.checkout import ROOT
from jobs import metrics
from jobs.periodic import Periodic
from jobs.queues import Pool, Queue, Shed
from jobs.scrape.ledger import GAUGES

WARM = Queue("warm", purpose="Readings.", pool="warm", shed=Shed("oldest", above=100, older_than_seconds=60))
WARM_POOL = Pool("warm", purpose="Readings.", concurrency=3, prefetch=2)


def test_every_derived_file_is_as_the_tables_have_it() -> None:
    stale = [path for path, text in derived_files().items() if (ROOT / path).read_text() != text]
    assert stale == [], "run python -m deploy.derived"


def test_the_check_names_what_is_out_of_date_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (ROOT / "docs/queues.md").read_text()
    monkeypatch.setattr(queues_page, "HEAD", "# Another page\n")
    assert main(["--check"]) == 1
    assert "docs/queues.md is out of date" in capsys.readouterr().out
    assert (ROOT / "docs/queues.md").read_text() == before


def test_each_queue_is_consumed_by_the_workers_of_one_pool() -> None:
    consumed = []
    for line in (ROOT / "Procfile").read_text().splitlines():
        name, _, command = line.partition(": ")
        if name.startswith(procfile.LINE):
            words = shlex.split(command)
            consumed += words[words.index("--queues") + 1].split(",")
    assert sorted(consumed) == sorted(queue.name for queue in QUEUES)


def test_a_new_pool_gets_a_line_among_the_workers_and_the_other_lines_stay() -> None:
    lines = "web: w\nworker-old: x\nworker-older: y\nmail: m\n"
    rendered = procfile.render(lines, pools=[*POOLS, WARM_POOL], queues=[*QUEUES, WARM]).splitlines()
    assert [line.partition(":")[0] for line in rendered] == [
        "web",
        *(f"worker-{pool.name}" for pool in POOLS),
        "worker-warm",
        "mail",
    ]
    assert "--queues warm --concurrency 3 --prefetch-multiplier 2 " in rendered[-2]


def test_workers_that_render_tickets_load_the_renderer_before_they_fork_and_no_others_do() -> None:
    lines = (ROOT / "Procfile").read_text().splitlines()
    assert [line.partition(":")[0] for line in lines if "--include tickets.render_tickets " in line] == [
        "worker-tickets"
    ]
    known = "from celery import current_app; current_app.loader.import_default_modules()"
    loaded = f"import django, sys; django.setup(); {known}; print('weasyprint' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "False\n"


def test_a_pool_of_threads_is_started_as_one_and_the_page_says_so() -> None:
    pool = Pool("warm", purpose="Readings.", kind="threads", concurrency=3)
    assert "--queues warm --pool threads --concurrency 3 " in procfile.worker_command(pool, queues=[WARM])
    assert "--pool" not in procfile.worker_command(WARM_POOL, queues=[WARM])
    page = queues_page.render(pools=[pool], queues=[WARM], destinations=[], tasks={})
    assert "| `warm` | Readings. | threads | 3 |" in page


def test_the_page_says_what_a_queue_may_lose() -> None:
    page = queues_page.render(pools=[WARM_POOL], queues=[WARM], destinations=[], tasks={})
    assert "| drops the oldest above 100 jobs or 60 s | none yet |" in page


def test_a_queue_named_with_a_quote_stays_one_word_of_sql() -> None:
    assert "'it''s'" in keda.age_query([Queue("it's", purpose="A trap.")])


def metrics_named_in(expression: str) -> set[str]:
    return set(re.findall(r"\bjobs_\w+", expression))


def test_an_alert_names_only_metrics_that_exist() -> None:
    counted = {
        f"{family.name}{ending}"
        for metric in vars(metrics).values()
        if isinstance(metric, Counter | Gauge | Histogram)
        for family in metric.describe()
        for ending in ("", "_total", "_count")
    }
    rules = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yaml").read_text())["groups"][0]["rules"]
    named = set().union(*(metrics_named_in(rule["expr"]) for rule in rules))
    assert named - counted - GAUGES.keys() == set()


def rules_for(
    queues: Sequence[Queue], tasks: Mapping[str, str] = TASKS, schedule: Sequence[Periodic] = SCHEDULE
) -> list[dict[str, Any]]:
    text = alerts.render(queues=queues, destinations=DESTINATIONS, tasks=tasks, schedule=schedule)
    rules: list[dict[str, Any]] = yaml.safe_load(text)["groups"][0]["rules"]
    return rules


def test_what_calls_a_provider_that_is_away_is_not_late_and_what_calls_another_one_is_looked_at_by_itself() -> None:
    rules = {rule["alert"]: rule for rule in rules_for(QUEUES)}
    assert rules["MessagesLate"]["expr"] == (
        'jobs_oldest_due_by_destination_seconds{queue="messages"} > 60'
        ' unless on (database) (jobs_paused{kind="queue", name="messages"} == 1)'
        " unless on (database, destination)"
        ' (label_replace(jobs_paused{kind="destination"}, "destination", "$1", "name", "(.*)") == 1)'
        ' unless on (database, destination) (jobs_breaker{state="closed"} == 0)'
    )
    assert "for {{ $labels.destination }}" in rules["MessagesLate"]["annotations"]["summary"]
    assert "jobs_breaker" not in rules["TicketsLate"]["expr"], "it calls nobody"


def test_the_gauges_that_are_matched_have_the_labels_that_they_are_matched_by() -> None:
    for name in ("jobs_oldest_due_by_destination_seconds", "jobs_breaker"):
        assert "destination" in GAUGES[name][1]
    assert GAUGES["jobs_paused"][1] == ("kind", "name")


def test_every_queue_has_an_alert_on_the_age_that_it_promises() -> None:
    rules = {rule["alert"]: rule for rule in rules_for([*QUEUES, WARM])}
    for queue in [*QUEUES, WARM]:
        expression = rules[f"{queue.name.title()}Late"]["expr"]
        age = r"jobs_oldest_due(_by_destination)?_seconds"
        assert re.match(rf'{age}{{queue="{queue.name}"}} > {queue.promise_seconds:g} ', expression)


def test_every_alert_says_what_is_wrong_and_what_to_look_at() -> None:
    for rule in rules_for(QUEUES):
        assert rule["labels"]["severity"] in {"page", "ticket", "info"}
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]


def test_a_schedule_is_late_by_its_own_interval_and_one_that_staff_made_by_the_longest() -> None:
    schedule = (
        Periodic("sweep", task="a.task", why="Why.", every=timedelta(seconds=30)),
        Periodic("plan (all)", task="a.task", why="Why.", every=timedelta(minutes=5)),
        Periodic("quarter", task="a.task", why="Why.", cron="*/5 * * * *"),
        Periodic("nightly", task="a.task", why="Why.", cron="30 3 * * *"),
    )
    (expression,) = [rule["expr"] for rule in rules_for(QUEUES, schedule=schedule) if rule["alert"] == "ScheduleLate"]
    assert expression == (
        '(jobs_schedule_late_seconds{schedule=~"sweep"} > 60'
        ' or jobs_schedule_late_seconds{schedule=~"plan \\\\(all\\\\)|quarter"} > 300'
        ' or jobs_schedule_late_seconds{schedule=~"nightly"} > 600'
        ' or jobs_schedule_late_seconds{schedule!~"nightly|plan \\\\(all\\\\)|quarter|sweep"} > 600)'
        " unless on (database) (jobs_scheduler_tick_age_seconds > 60)"
    )


@pytest.mark.parametrize(
    ("cron", "seconds"),
    [("* * * * *", 60), ("0,7 * * * *", 420), ("55,1 * * * *", 360), ("0 * * * *", 600), ("0 0 1 1 *", 600)],
)
def test_what_runs_often_is_late_sooner(cron: str, seconds: float) -> None:
    assert seconds_until_late(Periodic("any", task="a.task", why="Why.", cron=cron)) == seconds


def test_a_beat_that_is_silent_and_one_of_which_nobody_tells_both_wake_somebody() -> None:
    rules = {rule["alert"]: rule for rule in rules_for(QUEUES)}
    assert rules["NoTick"]["expr"] == "jobs_scheduler_tick_age_seconds > 60"
    assert rules["NobodyTellsOfTheTick"]["expr"].startswith("absent(jobs_scheduler_tick_age_seconds)")
    assert {rules[name]["labels"]["severity"] for name in ("NoTick", "NobodyTellsOfTheTick")} == {"page"}
    assert rules["FewBeats"]["labels"]["severity"] == "info"
