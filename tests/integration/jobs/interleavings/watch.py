"""What must hold after each step, checked on every single change that a row went through.

A trigger notes each change of a job in the transaction that makes it, so that what was rolled back leaves no note, and
what happened between two steps does not hide.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import psycopg

CREATE_NOTES = """
    CREATE UNLOGGED TABLE IF NOT EXISTS interleavings_change (n bigserial, old jsonb, new jsonb);
    CREATE OR REPLACE FUNCTION interleavings_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO interleavings_change (old, new) VALUES (to_jsonb(OLD), to_jsonb(NEW));
        RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER interleavings_note AFTER INSERT OR UPDATE ON jobs_job
        FOR EACH ROW EXECUTE FUNCTION interleavings_note();
"""
DROP_NOTES = """
    DROP TRIGGER interleavings_note ON jobs_job;
    DROP FUNCTION interleavings_note;
    DROP TABLE interleavings_change;
"""
# Sent as one, these statements are one transaction, which is allowed to erase from the trail (jobs/append_only.py).
EMPTY = """
    SELECT set_config('jobs.erasing', 'on', true);
    DELETE FROM jobs_job; DELETE FROM jobs_deadletter; DELETE FROM probe_mark; DELETE FROM probe_burial;
    DELETE FROM jobs_staffaction; DELETE FROM interleavings_change;
"""
# One statement, so that all of it is of one instant, and one round trip.
LOOK = """
    WITH new AS (DELETE FROM interleavings_change RETURNING *)
    SELECT (SELECT coalesce(jsonb_agg(jsonb_build_array(old, new) ORDER BY n), '[]') FROM new),
           (SELECT coalesce(jsonb_agg(job), '[]') FROM jobs_job AS job),
           (SELECT coalesce(jsonb_agg(key), '[]') FROM probe_mark),
           (SELECT coalesce(jsonb_agg(key), '[]') FROM probe_burial),
           (SELECT coalesce(jsonb_agg(jsonb_build_array(job_id, action, generation, job_reason, job_error)), '[]')
            FROM jobs_staffaction)
"""

CAP = 3
"""Claims without an orderly outcome: fewer than in production, so that examples get there."""
ENDED = ("done", "dead", "cancelled")

ARROWS: dict[tuple[str, str], dict[str, str]] = {
    ("waiting", "published"): {"mark_due": ""},
    ("published", "waiting"): {
        "take_back": "publish_number",
        "defer_published": "publish_number",
        "hold_back_queue": "",
    },
    ("published", "running"): {"claim": ""},
    ("published", "dead"): {"mark_dead, published": "token"},
    ("running", "done"): {"mark_done": "token"},
    ("running", "waiting"): {"try_again": "token", "postpone": "token", "stand_aside": "token", "rescue": "token"},
    ("running", "dead"): {"mark_dead": "token"},
    ("dead", "waiting"): {"replay": "generation"},
    ("waiting", "cancelled"): {"cancel": "generation"},
    ("published", "cancelled"): {"cancel": "generation"},
    ("running", "cancelled"): {"cancel": "generation"},
    ("dead", "cancelled"): {"cancel": "generation"},
}
"""The diagram of states: each arrow, who may draw it, and the column that whoever draws it must have seen."""

GROWS = {
    "token": ("published", "running"),
    "generation": ("dead", "waiting"),
    "publish_number": ("waiting", "published"),
}
"""These grow by one on their arrow, and change on no other."""

Said = Counter[tuple[str, int, int]]
"""How often who spoke of which job with which proof, and was not told no: ``("mark_done", job, token)``."""


class Watch:
    """Compares what the ledger did with what was said to it."""

    def __init__(self, observer: psycopg.Connection[Any], seen: Counter[str]) -> None:
        self._observer = observer
        self._seen = seen
        observer.execute(EMPTY)
        self.said: Said = Counter()
        self.jobs: dict[int, dict[str, Any]] = {}
        self.mourned: Counter[int] = Counter()
        """Deaths of each job that no replay has undone."""
        self.decided: Counter[tuple[Any, ...]] = Counter()
        """What the audit trail must tell: each change by hand, and what the row said before."""
        self.committed: set[str] = set()
        """Names of the jobs whose transaction has committed, and of no other."""

    def look(self) -> None:
        """Read the ledger, and check it and all that happened since the last look."""
        changes, jobs, marks, burials, trail = self._observer.execute(LOOK).fetchone()  # type: ignore[misc]
        for old, new in changes:
            self._check_change(old, new)
        self.jobs = {job["id"]: job for job in jobs}
        self._check_jobs()
        self._check_effects(Counter(marks), Counter(burials))
        told = Counter(tuple(entry) for entry in trail)
        assert told == self.decided, f"untold: {self.decided - told}; not so: {told - self.decided}"

    def _check_change(self, old: dict[str, Any] | None, new: dict[str, Any]) -> None:
        if old is None:
            assert (new["state"], new["token"], new["generation"]) == ("waiting", 0, 0), new
            return
        arrow = (old["state"], new["state"])
        if arrow == ("dead", "dead"):  # a failed callback is noted in the reason
            assert {name for name in new if new[name] != old[name]} == {"reason"}, (
                f"dead → dead changes more: {old, new}"
            )
            return
        if arrow == ("waiting", "waiting") and {name for name in new if new[name] != old[name]} == {"gate"}:
            assert new["gate"] == "ready", f"a gate that was closed again: {old['gate']} → {new['gate']}"
            return
        what = f"{arrow[0]} → {arrow[1]}"
        assert arrow in ARROWS, f"no such arrow: {what}"
        job_id = new["id"]
        may = {(verb, job_id, old[column] if column else 0): bool(column) for verb, column in ARROWS[arrow].items()}
        speakers = [words for words in may if self.said[words] > 0]
        assert speakers, f"{what} by somebody whose proof is out of date: {list(may)} not in {sorted(+self.said)}"
        if not any(may[words] for words in speakers):
            self.said[speakers[0]] -= 1  # words without a proof are good for one change, and not for another later
        for column, grows_on in GROWS.items():
            assert new[column] - old[column] == (arrow == grows_on), f"{what} changes {column}: {old} to {new}"
        for column in ("id", "task", "args", "queue", "created_at"):
            assert new[column] == old[column], f"{what} changes {column}"
        if arrow != ("dead", "waiting"):
            assert new["attempts"] >= old["attempts"], f"{what} forgets attempts"
        if new["state"] == "running":
            assert new["deliveries"] == old["deliveries"] + 1, f"{what} does not count the delivery"
        self.mourned[job_id] += (new["state"] == "dead") - (arrow == ("dead", "waiting"))
        if by_hand := _by_hand(arrow, new):
            self.decided[job_id, by_hand, old["generation"], old["reason"], old["error"]] += 1
        self._seen[what] += 1

    def _check_jobs(self) -> None:
        names = {job["args"]["name"] for job in self.jobs.values()}
        done = {job["args"]["name"] for job in self.jobs.values() if job["state"] == "done"}
        followed = {job["args"]["name"] for job in self.jobs.values() if job["args"]["follows"]} & done
        expected = self.committed | {f"{name}, continued" for name in followed}
        assert names == expected, f"lost: {expected - names}; never committed: {names - expected}"
        assert len(names) == len(self.jobs), "a job exists twice"
        for job in self.jobs.values():
            assert (job["finished_at"] is not None) == (job["state"] in ENDED), job
            assert job["state"] != "running" or job["lease_until"], job
            assert job["token"] <= job["publish_number"], f"more runs than publications: {job}"
            assert job["deliveries"] <= CAP + 1, job

    def _check_effects(self, marks: Counter[str], burials: Counter[str]) -> None:
        done = Counter(
            effect_of(job["args"]["name"], job["token"]) for job in self.jobs.values() if job["state"] == "done"
        )
        assert marks == done, f"effects without done: {marks - done}; done without effects: {done - marks}"
        deaths = Counter(
            {job["args"]["name"]: self.mourned[job["id"]] for job in self.jobs.values() if job["args"]["mourned"]}
        )
        assert burials == +deaths, f"the domain heard of {burials}, the deaths are {+deaths}"


def _by_hand(arrow: tuple[str, str], new: dict[str, Any]) -> str:
    """Which entry in the audit trail belongs to a change, if staff have made it."""
    if arrow == ("dead", "waiting"):
        return "replay"
    if arrow[1] == "cancelled":
        return "discard" if new["reason"].startswith("discarded") else "cancel"
    return ""


def effect_of(name: str, token: int) -> str:
    """The key of the effect that the run ``token`` of a job leaves."""
    return f"{name} by {token}"
