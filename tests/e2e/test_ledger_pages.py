"""The ledger's pages, whatever tasks, errors and strangers put into them: nothing scrolls sideways, nothing runs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from pytest_django.live_server_helper import LiveServer

from jobs.clock import database_now
from jobs.models import Breaker, DeadLetter, Heartbeat, Pause
from tests.desk_in_a_browser import PASSWORD, log_in
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.mark.parametrize("width", [375, 1280])
def test_long_words_and_markup_from_outside_stay_text_within_the_page(
    width: int, dead_jobs: DeadJobs, live_server: LiveServer, visiting: Visiting
) -> None:
    get_user_model().objects.create_superuser("operator", password=PASSWORD)
    (dead,) = dead_jobs(
        task="probe." + "long_name_" * 20,
        subject="s" * 200,
        error=MARKUP + "W" * 400,
        reason=MARKUP,
        traceback="T" * 3000 + MARKUP,
        args={"k" * 200: "v" * 1000},
        generation=3,
    )
    (waiting,) = dead_jobs(
        state="waiting",
        gate="later",
        available_at=database_now() + timedelta(hours=1),
        task="probe." + "long_name_" * 20,
        queue="q" * 200,
        subject="s" * 200,
        error="W" * 400,
        reason=MARKUP,
        args={"k" * 200: "v" * 1000},
    )
    Pause.objects.create(kind="queue", name="q" * 200, by="b" * 100, reason=MARKUP + "r" * 300)
    Breaker.objects.create(destination="d" * 200, state="open", error="E" * 300, probe_at=database_now())
    Heartbeat.objects.create(name="w" * 200, kind="worker", queues=["q" * 200, MARKUP], concurrency=4)
    letter = DeadLetter.objects.create(queue="q" * 100, reason=MARKUP, headers={"h": "x" * 2000}, body="B" * 5000)
    with visiting(viewport={"width": width, "height": 800}) as visit:
        page = visit.page
        log_in(page, live_server)
        for path in (
            "deadjob/",
            f"deadjob/{dead.pk}/change/",
            f"deadjob/replay/?jobs={dead.pk}:3",
            f"deadjob/discard/?jobs={dead.pk}:3",
            "deadletter/",
            f"deadletter/{letter.pk}/change/",
            f"deadletter/discard/?letters={letter.pk}",
            "job/",
            f"job/{waiting.pk}/change/",
            f"job/do/cancel/?jobs={waiting.pk}:0",
            f"job/do/priority/?jobs={waiting.pk}:0",
            f"job/do/run-now/?jobs={waiting.pk}:0",
            "queueload/",
            "queueload/pause/?kind=queue&name=probe",
            f"queueload/resume/?kind=queue&name={'q' * 200}",
        ):
            response = page.goto(f"{live_server.url}/admin/jobs/{path}")
            assert response is not None
            assert response.status == 200, path
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert visit.complaints == []
