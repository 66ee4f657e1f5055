"""What dead jobs have in common that died of the same, as PostgreSQL keeps it."""

from __future__ import annotations

import pytest

from jobs.models import Job
from tests.fixtures_dead_jobs import DeadJobs

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        (
            [
                "SMTPRecipientsRefused: 550 5.1.1 <ada@example.org> unknown",
                "SMTPRecipientsRefused: 550 5.2.1 <x@y> unknown",
            ],
            "SMTPRecipientsRefused: 550 # <…> unknown",
        ),
        (
            [
                "ConnectionError: https://api.example.org/v1/re_12?x=1 is away",
                "ConnectionError: https://api.example.org/z is away",
            ],
            "ConnectionError: https://api.example.org/… is away",
        ),
        (
            ["KeyError: 'order 7KQ2MXW4 lacks seat 12'", "KeyError: 'order BCDFGHJK lacks seat 3'\nmore"],
            "KeyError: 'order # lacks seat #'",
        ),
        (["a.b.Refused: HTTP 503 for 1f0c-22", "a.b.Refused: HTTP 503   for 0-9"], "a.b.Refused: HTTP 503 for #"),
        (["OSError: [Errno 28] No space left"], "OSError: [Errno #] No space left"),
        (["SoftTimeLimitExceeded", "SoftTimeLimitExceeded\nline"], "SoftTimeLimitExceeded"),
        (["E: " + "x" * 500, "E: " + "x" * 400], "E: " + "x" * 197),
    ],
)
def test_what_died_of_the_same_has_one_cause_whoever_it_was_about(
    dead_jobs: DeadJobs, errors: list[str], cause: str
) -> None:
    made = [dead_jobs(error=error)[0].pk for error in errors]
    assert set(Job.objects.filter(pk__in=made).values_list("died_of", flat=True)) == {cause}


def test_an_outage_and_a_wrong_address_are_two_causes_though_the_class_is_one(dead_jobs: DeadJobs) -> None:
    dead_jobs(error="HTTPError: 503 from the provider")
    dead_jobs(error="HTTPError: 404 from the provider")
    assert Job.objects.values("died_of").distinct().count() == 2


def test_where_there_is_no_error_the_reason_is_the_cause_and_its_callback_changes_nothing(dead_jobs: DeadJobs) -> None:
    dead_jobs(error="", reason="crash loop")
    dead_jobs(error="", reason="crash loop; its on_dead failed too: KeyError")
    assert set(Job.objects.values_list("died_of", flat=True)) == {"crash loop"}


def test_a_job_that_lives_again_has_none(dead_jobs: DeadJobs) -> None:
    (dead,) = dead_jobs()
    Job.objects.filter(pk=dead.pk).update(state="waiting")
    dead.refresh_from_db()
    assert dead.died_of is None
