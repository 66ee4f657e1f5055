"""The page of queues and workers: what is wrong comes first, and a queue is paused there once, with a reason."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from jobs.clock import database_now
from jobs.models import Breaker, Heartbeat, Lease, Pause, QueueLoad, StaffAction
from jobs.queues import all_queues
from tests.fixtures_boxoffice import statements
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_schedules import MakeSchedule
from tests.fixtures_staff import staff_with

pytestmark = pytest.mark.django_db

PAGE = "admin:jobs_queueload_changelist"


def page_of(client: Client) -> str:
    return client.get(reverse(PAGE)).content.decode()


def address(verb: str) -> str:
    return reverse(f"admin:jobs_queueload_{verb}")


def press(client: Client, verb: str, **typed: Any) -> str:
    data = {"kind": "queue", "name": "probe", "reason": "the printer burns", **typed}
    return client.post(address(verb), data, follow=True).content.decode()


@pytest.fixture
def all_at_work(db: None) -> None:
    """A relay, a beat that ticks, and a worker for every queue, all heard of just now; nothing to do."""
    queues = [queue.name for queue in all_queues()]
    Heartbeat.objects.create(name="relay@here pid 1", kind="relay")
    Heartbeat.objects.create(name="beat@here pid 7", kind="beat")
    tick()
    Heartbeat.objects.create(name="worker@here", kind="worker", queues=queues, concurrency=4, prefetch=4)
    for queue in queues:
        QueueLoad.objects.create(queue=queue)


def tick(*, ago: timedelta = timedelta(0), owner: str = "here:7") -> None:
    """What the beat that ticks leaves behind: its lease, renewed so long ago."""
    now = database_now() - ago
    values = {"owner": owner, "token": 3, "taken_at": now, "renewed_at": now, "until": now + timedelta(seconds=6)}
    Lease.objects.update_or_create(name="beat", defaults=values)


def load(queue: str, **given: Any) -> None:
    QueueLoad.objects.update_or_create(queue=queue, defaults=given)


# What it shows


def test_on_a_good_day_it_says_so_and_nothing_else(staff: Client, all_at_work: None) -> None:
    page = page_of(staff)
    assert "Every queue has its workers and keeps its promise." in page
    assert "ledger-note" not in page
    assert page.count("nothing to do</span>") == len(all_queues())


def test_without_any_process_it_says_in_plain_words_that_nobody_works(staff: Client) -> None:
    page = page_of(staff)
    assert "No relay is running: nothing is handed to the workers." in page
    assert "No beat has ever ticked: no periodic job is made." in page
    assert "Nobody has taken one yet." in page
    for queue in all_queues():
        assert f"No worker consumes queue {queue.name}." in page
    assert "Every queue has its workers" not in page
    assert "None was heard of." in page


def test_a_process_that_was_not_heard_of_counts_for_nothing_and_is_named(staff: Client, all_at_work: None) -> None:
    Heartbeat.objects.filter(kind="worker").update(seen_at=database_now() - timedelta(minutes=5))
    page = page_of(staff)
    assert "No worker consumes queue probe." in page
    assert "not heard of</span>" in page
    assert "5 min ago</time>" in page


def test_a_queue_that_is_late_is_told_with_its_age_its_promise_and_when_it_will_be_empty(
    staff: Client, all_at_work: None
) -> None:
    load("messages", ready=590, published=10, oldest_seconds=312, drain=2.0, later=7, blocked=3, running=4)
    page = page_of(staff)
    assert "Queue messages is late: a job has been due for 5 min, and 60 s were promised." in page
    for words in ("late</span>", "590", "7 later", "3 blocked", "10 handed out", "2.0/s", "empty in 5 min"):
        assert words in page, words


def test_figures_are_written_as_the_reader_writes_them_and_nobody_knows_is_no_span(
    staff: Client, all_at_work: None
) -> None:
    load("messages", ready=50_000, oldest_seconds=1.2)
    page = page_of(staff)
    assert all(words in page for words in ("50,000+", "1.2 s", ">nobody knows<"))
    page = staff.get(reverse(PAGE), headers={"Accept-Language": "de"}).content.decode()
    assert all(words in page for words in ("50.000+", "1,2 s", ">unbekannt<"))


def test_a_queue_that_is_paused_names_who_why_and_when_and_is_not_called_late(staff: Client, all_at_work: None) -> None:
    load("messages", ready=5, oldest_seconds=312, drain=2.0)
    Pause.objects.create(
        kind="queue", name="messages", by="ben", reason="mended at noon", at=database_now() - timedelta(minutes=12)
    )
    page = page_of(staff)
    assert "paused</span>" in page
    assert "ben, <time" in page
    assert "12 min ago</time>: mended at noon" in page
    assert "is late" not in page
    assert "empty in" not in page
    assert "Queue messages is paused." in page
    assert "keeps its promise" not in page


def test_a_provider_that_is_away_is_told_with_its_error_and_its_next_try(staff: Client, all_at_work: None) -> None:
    now = database_now()
    Breaker.objects.create(
        destination="mail",
        state="open",
        failures=10,
        error="refused: {'ada@example.org': 550}",
        probe_at=now + timedelta(seconds=31),
        changed_at=now - timedelta(minutes=6),
    )
    page = page_of(staff)
    assert "Provider mail is away: it failed last 6 min ago. Its jobs wait and keep their attempts." in page
    assert "taken for away</span>" in page
    assert "in 3" in page
    assert "refused: {&#x27;[an e-mail address]&#x27;: 550}" in page


def test_old_figures_say_that_they_are_old(staff: Client, all_at_work: None) -> None:
    QueueLoad.objects.update(at=database_now() - timedelta(minutes=7))
    assert "The figures are old: they were measured 7 min ago." in page_of(staff)


def test_it_says_which_beat_ticks_and_which_stand_by(staff: Client, all_at_work: None) -> None:
    Heartbeat.objects.create(name="beat@there pid 9", kind="beat")
    page = page_of(staff)
    assert page.count("ticks</span>") == 1
    assert page.count("stands by</span>") == 1
    assert page.index("beat@here pid 7") < page.index("ticks</span>") < page.index("beat@there pid 9")
    assert "held</span>" in page
    tick(owner="there:9")
    page = page_of(staff)
    assert page.index("stands by</span>") < page.index("beat@there pid 9") < page.index("ticks</span>")


@pytest.mark.parametrize("minutes", [3, -4], ids=["silent", "a clock that was set back"])
def test_a_minute_without_a_tick_is_an_alarm_though_beats_say_that_they_live(
    staff: Client, all_at_work: None, minutes: int
) -> None:
    tick(ago=timedelta(minutes=minutes))
    page = page_of(staff)
    assert "No beat has ticked for 3 min: no periodic job is made. Start one: celery -A config beat." in page
    assert "Every queue has its workers" not in page


def test_schedules_that_are_late_are_counted_with_a_link_to_them(
    client: Client, all_at_work: None, schedules: MakeSchedule
) -> None:
    now = database_now()
    schedules("one", next_run_at=now - timedelta(minutes=2))
    schedules("two", next_run_at=now - timedelta(minutes=3))
    schedules("in time", next_run_at=now - timedelta(seconds=5))
    schedules("off", next_run_at=now - timedelta(hours=1), enabled=False)
    address = reverse("admin:django_celery_beat_periodictask_changelist")
    page = page_of(staff_with(client, "view_queueload", "view_periodictask"))
    assert "2 schedules are late." in page
    assert f'<a href="{address}">Look at them</a>' in page
    assert "Every queue has its workers" not in page


def test_what_no_table_lists_any_more_can_still_be_seen_and_resumed(staff: Client, all_at_work: None) -> None:
    Pause.objects.create(kind="queue", name="gone", by="ben", reason="old")
    Pause.objects.create(kind="destination", name="vanished", by="ben", reason="old")
    page = page_of(staff)
    assert page.count("No table lists it any more.") == 2
    assert "Resume…" in page
    press(staff, "resume", name="gone")
    press(staff, "resume", kind="destination", name="vanished")
    assert not Pause.objects.exists()


def test_what_is_due_next_is_shown_with_its_time_to_who_may_see_schedules(
    staff: Client, client: Client, all_at_work: None, schedules: MakeSchedule
) -> None:
    now = database_now()
    schedules("later on", next_run_at=now + timedelta(hours=3))
    schedules("soon", next_run_at=now + timedelta(minutes=3))
    schedules("switched off", next_run_at=now + timedelta(minutes=1), enabled=False)
    page = page_of(staff)
    due = page[page.index('id="schedules"') :].partition("</section>")[0]
    assert due.index("soon") < due.index(">in ") < due.index("later on")
    assert "switched off" not in due
    assert 'id="schedules"' not in page_of(staff_with(client, "view_queueload"))


def test_the_title_of_the_window_says_how_much_is_wrong(staff: Client, all_at_work: None) -> None:
    assert "<title>Queues and workers" in page_of(staff).replace("\n", "")
    load("messages", ready=590, published=10, oldest_seconds=312, drain=2.0)
    assert "<title>(1!) Queues and workers" in page_of(staff).replace("\n", "")


def test_the_page_takes_as_many_queries_however_many_jobs_and_processes_there_are(
    staff: Client, all_at_work: None, dead_jobs: DeadJobs
) -> None:
    counts = []
    for turn in range(2):
        for number in range(20):
            Heartbeat.objects.create(name=f"w{turn}-{number}", kind="worker", queues=["probe"], concurrency=2)
        dead_jobs(50, state="waiting")
        with statements() as queries:
            page_of(staff)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[0] <= 13


def test_names_and_errors_from_outside_stay_text_and_nothing_runs(staff: Client, all_at_work: None) -> None:
    markup = '"><script>alert(1)</script>'
    Heartbeat.objects.create(name=markup, kind="worker", queues=[markup])
    Pause.objects.create(kind="queue", name=markup, by=markup, reason=markup)
    Breaker.objects.create(destination=markup, state="open", error=markup)
    page = page_of(staff)
    assert "<script>alert" not in page
    assert "<style" not in page
    assert " style=" not in page


# Pausing and resuming


def test_pausing_asks_once_with_what_will_happen_does_it_once_and_says_what_it_did(
    staff: Client, all_at_work: None, dead_jobs: DeadJobs
) -> None:
    dead_jobs(2, state="waiting")
    asked = staff.get(address("pause"), {"kind": "queue", "name": "probe"}).content.decode()
    assert "Pause queue probe?" in asked
    assert "Its jobs wait until somebody resumes it" in asked
    assert not Pause.objects.exists()

    said = press(staff, "pause")
    assert "Queue probe is paused. Jobs that are due and wait: 2, still running: 0." in said
    assert f"{reverse('admin:jobs_job_changelist')}?queue=probe" in said
    pause = Pause.objects.get()
    assert (pause.kind, pause.name, pause.by, pause.reason) == ("queue", "probe", "operator", "the printer burns")

    assert "Queue probe was paused already; nothing was changed." in press(staff, "pause", reason="again")
    assert StaffAction.objects.count() == 1
    assert "queue probe" in page_of(staff)

    asked = staff.get(address("resume"), {"kind": "queue", "name": "probe"}).content.decode()
    assert "paused by operator, now: the printer burns" in asked
    assert "Queue probe is resumed. Jobs that are due: 2." in press(staff, "resume")
    assert "Queue probe was not paused; nothing was changed." in press(staff, "resume")
    assert StaffAction.objects.count() == 2


def test_a_provider_is_paused_as_well(staff: Client, all_at_work: None) -> None:
    assert "Provider mail is paused." in press(staff, "pause", kind="destination", name="mail")
    assert Pause.objects.get().kind == "destination"


def test_without_a_reason_or_with_an_unknown_name_nothing_is_paused(staff: Client, all_at_work: None) -> None:
    assert "This field is required." in press(staff, "pause", reason=" ")
    assert "There is no queue “nowhere”" in press(staff, "pause", name="nowhere")
    for kind, name in (("x", "probe"), ("", ""), ("queue", ""), ("<script>", "probe")):
        data = {"kind": kind, "name": name, "reason": "x"}
        assert staff.post(address("pause"), data).status_code == 404
    assert not Pause.objects.exists()


# Who may


def test_everybody_who_works_here_may_look_and_nobody_may_pause_without_the_right(
    client: Client, all_at_work: None
) -> None:
    somebody = staff_with(client, "view_queueload")
    page = page_of(somebody)
    assert "Every queue has its workers" in page
    assert "Pause…" not in page
    assert reverse("admin:jobs_job_changelist") not in page
    assert reverse(PAGE) in somebody.get(reverse("admin:index")).content.decode()
    for verb in ("pause", "resume"):
        assert somebody.get(address(verb), {"kind": "queue", "name": "probe"}).status_code == 403
        assert somebody.post(address(verb), {"kind": "queue", "name": "probe", "reason": "x"}).status_code == 403
    assert not Pause.objects.exists()


def test_who_may_pause_finds_the_button(client: Client, all_at_work: None) -> None:
    somebody = staff_with(client, "view_queueload", "pause_queue")
    assert f"{address('pause')}?kind=queue&amp;name=probe" in page_of(somebody)
    assert "Queue probe is paused." in press(somebody, "pause")


def test_who_is_not_staff_is_sent_to_the_login(client: Client) -> None:
    assert client.get(reverse(PAGE)).status_code == 302
    assert client.post(address("pause"), {"kind": "queue", "name": "probe", "reason": "x"}).status_code == 302
    assert not Pause.objects.exists()
