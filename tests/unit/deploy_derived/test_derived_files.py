"""What follows from the tables of queues and pools says what the tables say."""

from __future__ import annotations

import shlex

import pytest

from config.queues import POOLS, QUEUES
from deploy.derived import keda, procfile, queues_page
from deploy.derived.__main__ import derived_files, main
from deploy.local.checkout import ROOT
from jobs.queues import Pool, Queue, Shed

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


def test_the_page_says_what_a_queue_may_lose() -> None:
    page = queues_page.render(pools=[WARM_POOL], queues=[WARM], destinations=[], tasks={})
    assert "| drops the oldest above 100 jobs or 60 s | none yet |" in page


def test_a_queue_named_with_a_quote_stays_one_word_of_sql() -> None:
    assert "'it''s'" in keda.age_query([Queue("it's", purpose="A trap.")])
