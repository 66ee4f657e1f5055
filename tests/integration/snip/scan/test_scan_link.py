"""What a scan's verdict changes, and what it does not once the link has changed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import translation

from jobs import transitions as ledger
from jobs.errors import TransientError
from jobs.models import Job
from jobs.session import engine_session
from jobs.worker.execution import Outcome
from snip.links import transitions
from snip.links.create_link import NewLink, create_link
from snip.links.delete_link import delete_link
from snip.links.edit_link import Wanted, edit_link
from snip.models import BlockedSite, Link, SiteAction, TargetCheck
from snip.scan import check_again as again
from snip.scan import scan_link as scanning
from snip.scan.block_list import block_site, is_blocked, lift_block
from snip.scan.check_again import check_again, hand_out_checks
from snip.scan.follow import Scanner
from snip.scan.give_up import give_up, take_up
from snip.scan.metrics import LOOKS, SCANS
from snip.scan.policy import policy_in_force
from snip.scan.refusals import Reason, Refused, in_words
from snip.scan.scan_link import CHECKED_AGAIN, scan_link
from tests.fixtures_clock import Clock
from tests.fixtures_link_scanner import HostileWeb, Names, answering

HandOut = Callable[[], list[int]]
Work = Callable[[int], Outcome]


@pytest.fixture
def unscanned_link(transactional_db: None, hostile_web: HostileWeb) -> Link:
    hostile_web.pages |= {"/": answering(200), "/other": answering(200)}
    return create_link(new=NewLink(target=f"http://site.example.com:{hostile_web.port}/"), owner_id=None, by="paula")


@pytest.fixture
def scanned_link(unscanned_link: Link, allowed_scanner: Scanner) -> Link:
    scan_link(link_id=unscanned_link.pk, version=1, scanner=allowed_scanner)
    unscanned_link.refresh_from_db()
    assert unscanned_link.state == "live"
    return unscanned_link


def edit(link: Link, target: str) -> int:
    link.refresh_from_db()
    wanted = Wanted(target=target, label="", owner_id=None, show_id=None, expires_at=None)
    return edit_link(link_id=link.pk, seen=link.version, wanted=wanted, by="paula")


def test_a_target_that_passes_goes_live_and_is_due_again_in_a_week(scanned_link: Link) -> None:
    assert scanned_link.served_target == scanned_link.target
    check = TargetCheck.objects.get(link=scanned_link)
    assert (check.ends_at, check.redirects) == (scanned_link.target, 0)
    assert check.due_at - check.checked_at == timedelta(seconds=CHECKED_AGAIN)


def test_a_refused_link_says_why_in_the_readers_language(
    unscanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb
) -> None:
    hostile_web.pages["/"] = answering(302, Location="http://10.0.0.1/")
    scan_link(link_id=unscanned_link.pk, version=1, scanner=allowed_scanner)
    unscanned_link.refresh_from_db()
    assert (unscanned_link.state, unscanned_link.served_target) == ("refused", "")
    assert in_words(unscanned_link.refusal) == unscanned_link.refusal
    assert "leads on to another one" in unscanned_link.refusal
    assert "private network" in unscanned_link.refusal
    with translation.override("de"):
        assert "führt weiter" in in_words(unscanned_link.refusal)
        assert "privates Netz" in in_words(unscanned_link.refusal)


@pytest.mark.parametrize(
    ("status", "verdict"), [(200, "passed"), (404, "not_found"), (503, "unanswered"), (302, "not_public")]
)
def test_what_a_look_has_seen_is_counted(
    scanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb, status: int, verdict: str
) -> None:
    counters = [SCANS.labels(look=look, verdict=verdict) for look in LOOKS]
    before = [counter._value.get() for counter in counters]
    hostile_web.pages["/"] = answering(status, Location="http://10.0.0.1/")
    version = edit(scanned_link, f"{scanned_link.target}?anew")
    hostile_web.pages["/?anew"] = hostile_web.pages["/"]
    with contextlib.suppress(TransientError):
        scan_link(link_id=scanned_link.pk, version=version, scanner=allowed_scanner)
    check_again(link_id=scanned_link.pk, scanner=allowed_scanner)
    assert [counter._value.get() for counter in counters] == [seen + 1 for seen in before]


def test_every_reason_fits_its_column_and_is_told_in_german() -> None:
    for reason in Reason:
        kept = Refused(reason, hop=1).in_english()
        assert len(kept) <= 300
        with translation.override("de"):
            assert in_words(kept) != kept
            assert in_words(reason.value) != reason.value


@pytest.mark.parametrize("path", ["/other", "/gone"])
def test_a_verdict_that_comes_after_an_edit_changes_nothing(
    unscanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb, scanned_names: Names, path: str
) -> None:
    edit(unscanned_link, f"http://site.example.com:{hostile_web.port}{path}")

    def edit_meanwhile(host: str, seconds: float) -> list[str]:
        edit(unscanned_link, f"http://site.example.com:{hostile_web.port}/")
        return ["127.0.0.1"]

    scan_link(link_id=unscanned_link.pk, version=2, scanner=replace(allowed_scanner, resolver=edit_meanwhile))
    unscanned_link.refresh_from_db()
    assert (unscanned_link.state, unscanned_link.version, unscanned_link.refusal) == ("scanning", 3, "")
    assert len(hostile_web.seen) == 1


def test_a_job_of_an_older_version_asks_nobody(
    unscanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb, scanned_names: Names
) -> None:
    edit(unscanned_link, f"http://site.example.com:{hostile_web.port}/other")
    scan_link(link_id=unscanned_link.pk, version=1, scanner=allowed_scanner)
    delete_link(link_id=unscanned_link.pk, by="paula", reason="not needed")
    scan_link(link_id=unscanned_link.pk, version=2, scanner=allowed_scanner)
    scan_link(link_id=unscanned_link.pk, version=3, scanner=allowed_scanner)
    assert scanned_names.asked == hostile_web.seen == []


def test_what_was_served_goes_on_while_an_edit_is_looked_at_and_when_it_is_refused(
    scanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb
) -> None:
    before = scanned_link.target
    version = edit(scanned_link, f"http://site.example.com:{hostile_web.port}/gone")
    scan_link(link_id=scanned_link.pk, version=version, scanner=allowed_scanner)
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.served_target) == ("refused", before)


# By the ledger


@pytest.fixture
def hand_out_scan(monkeypatch: pytest.MonkeyPatch, allowed_scanner: Scanner) -> HandOut:
    """Let the jobs of links use the scanner of the test; publish those that are ready and return their ids."""
    monkeypatch.setattr(scanning, "scanner_in_force", lambda: allowed_scanner)
    monkeypatch.setattr(again, "scanner_in_force", lambda: allowed_scanner)

    def hand_out() -> list[int]:
        engine_session("default")
        for queue in ("links", "checks"):
            ledger.mark_due(using="default", queue=queue, window=1000, batch=1000)
        return list(Job.objects.filter(state="published").order_by("pk").values_list("pk", flat=True))

    return hand_out


def test_edits_of_one_link_are_looked_at_in_their_order_one_after_the_other(
    unscanned_link: Link,
    hand_out_scan: HandOut,
    work: Work,
    hostile_web: HostileWeb,
) -> None:
    edit(unscanned_link, f"http://site.example.com:{hostile_web.port}/other")
    (first,) = hand_out_scan()
    assert Job.objects.get(pk=first).args == {"link_id": unscanned_link.pk, "version": 1}
    assert Job.objects.filter(task="snip.scan_link", gate="blocked").count() == 1
    work(first)
    assert Job.objects.get(pk=first).state == "done"
    Job.objects.filter(gate="blocked").update(gate="ready")  # as the promoter does
    (second,) = hand_out_scan()
    work(second)
    unscanned_link.refresh_from_db()
    assert (unscanned_link.state, unscanned_link.served_target) == ("live", unscanned_link.target)
    assert [path for path, _ in hostile_web.seen] == ["/other"]


def test_a_site_that_fails_is_tried_again_by_the_ledger_and_a_dead_job_tells_the_promoter(
    unscanned_link: Link,
    hand_out_scan: HandOut,
    work: Work,
    hostile_web: HostileWeb,
) -> None:
    hostile_web.pages["/"] = answering(503)
    (job_id,) = hand_out_scan()
    assert work(job_id) is not Outcome.DEAD
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.attempts, job.destination) == ("waiting", 1, "link_targets")
    assert "503" in job.error
    unscanned_link.refresh_from_db()
    assert unscanned_link.state == "scanning"
    Job.objects.filter(pk=job_id).update(attempts=39, available_at=job.available_at - timedelta(hours=1), gate="ready")
    (job_id,) = hand_out_scan()
    assert work(job_id) is Outcome.DEAD
    unscanned_link.refresh_from_db()
    assert (unscanned_link.state, unscanned_link.refusal) == ("refused", Reason.NO_ANSWER.value)


def test_a_replay_takes_up_what_was_given_up_and_no_other_refusal(unscanned_link: Link) -> None:
    with transaction.atomic():
        assert give_up(link_id=unscanned_link.pk, version=1)
        assert take_up(link_id=unscanned_link.pk, version=1)
        assert transitions.refuse(link_id=unscanned_link.pk, version=1, why=Reason.NOT_FOUND.value)
        assert not take_up(link_id=unscanned_link.pk, version=1)


# Again


def test_what_is_served_is_looked_at_again_once_a_week_a_few_at_a_time(
    scanned_link: Link, clock: Clock, hand_out_scan: HandOut, work: Work
) -> None:
    with transaction.atomic():
        assert hand_out_checks() == 0
    clock.advance(timedelta(seconds=CHECKED_AGAIN + 1))
    with transaction.atomic():
        assert (hand_out_checks(), hand_out_checks()) == (1, 0)
    job = Job.objects.get(task="snip.check_again")
    assert (job.queue, job.ordering_key) == ("checks", f"link:{scanned_link.pk}")
    before = TargetCheck.objects.get(link=scanned_link).checked_at
    check_again(link_id=scanned_link.pk)
    assert TargetCheck.objects.get(link=scanned_link).checked_at - before >= timedelta(seconds=CHECKED_AGAIN)


def test_a_page_that_turned_hostile_is_withdrawn_and_says_why(
    scanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb
) -> None:
    hostile_web.pages["/"] = answering(302, Location="http://169.254.169.254/")
    check_again(link_id=scanned_link.pk, scanner=allowed_scanner)
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.served_target) == ("refused", "")
    assert "private network" in scanned_link.refusal
    assert not TargetCheck.objects.exists()


def test_an_old_target_that_turned_hostile_is_withdrawn_though_an_edit_waits_for_its_verdict(
    scanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb
) -> None:
    version = edit(scanned_link, f"http://site.example.com:{hostile_web.port}/other")
    hostile_web.pages["/"] = answering(302, Location="http://169.254.169.254/")
    check_again(link_id=scanned_link.pk, scanner=allowed_scanner)
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.served_target, scanned_link.refusal) == ("scanning", "", "")
    scan_link(link_id=scanned_link.pk, version=version, scanner=allowed_scanner)
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.served_target) == ("live", scanned_link.target)


@pytest.mark.parametrize("status", [404, 503])
def test_a_page_that_is_away_goes_on_being_served(
    scanned_link: Link, allowed_scanner: Scanner, hostile_web: HostileWeb, status: int
) -> None:
    hostile_web.pages["/"] = answering(status)
    check_again(link_id=scanned_link.pk, scanner=allowed_scanner)
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.served_target) == ("live", scanned_link.target)
    assert TargetCheck.objects.filter(link=scanned_link).exists()


# The list


def test_a_blocked_site_stands_for_all_names_below_it_and_for_no_other(db: None) -> None:
    with transaction.atomic():
        assert block_site(host="Bücher.example.com", why="phishing", by="olga") == 0
        assert block_site(host="xn--bcher-kva.example.com", why="again", by="olga") is None
    assert is_blocked("xn--bcher-kva.example.com")
    assert is_blocked("a.b.xn--bcher-kva.example.com")
    assert not is_blocked("example.com")
    assert not is_blocked("notxn--bcher-kva.example.com")
    with transaction.atomic():
        assert lift_block(host="bücher.example.com", why="cleaned up", by="otto")
        assert not lift_block(host="bücher.example.com", why="cleaned up", by="otto")
    assert list(SiteAction.objects.order_by("pk").values_list("action", "host", "by", "why")) == [
        ("block", "xn--bcher-kva.example.com", "olga", "phishing"),
        ("lift", "xn--bcher-kva.example.com", "otto", "cleaned up"),
    ]
    assert not is_blocked("xn--bcher-kva.example.com")


def test_blocking_a_site_has_what_is_served_there_looked_at_next(scanned_link: Link, allowed_scanner: Scanner) -> None:
    with transaction.atomic():
        assert block_site(host="other.example.com", why="phishing", by="olga") == 0
        assert block_site(host="example.com", why="phishing", by="olga") == 1
        assert hand_out_checks() == 1
    check_again(link_id=scanned_link.pk, scanner=replace(allowed_scanner, is_blocked=is_blocked))
    scanned_link.refresh_from_db()
    assert (scanned_link.state, scanned_link.refusal) == ("refused", Reason.BLOCKED.value)


def test_operators_keep_the_list_by_a_command(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("block_site", "example.com", "--why", "phishing", "--by", "olga")
    assert BlockedSite.objects.get().why == "phishing"
    call_command("block_site")
    assert "olga: phishing" in capsys.readouterr().out
    with pytest.raises(CommandError, match="--why"):
        call_command("block_site", "example.com", "--lift")
    call_command("block_site", "example.com", "--lift", "--why", "cleaned up", "--by", "otto")
    assert not BlockedSite.objects.exists()
    with pytest.raises(CommandError, match="--why"):
        call_command("block_site", "example.com")
    with pytest.raises(CommandError, match="no name"):
        call_command("block_site", "127.0.0.1", "--why", "x", "--by", "olga")


def test_the_policy_in_force_allows_no_network_and_no_port(settings: object) -> None:
    policy = policy_in_force()
    assert (policy.networks, policy.ports) == ((), frozenset())
    assert (policy.own_site, policy.short_site) == (settings.PUBLIC_URL, settings.SNIP_BASE_URL)  # type: ignore[attr-defined]
