"""The ledger's pages, whatever tasks, errors and strangers put into them: nothing scrolls sideways, nothing runs."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from pytest_django.live_server_helper import LiveServer

from jobs.models import DeadLetter
from tests.fixtures_dead_jobs import DeadJobs
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MARKUP = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


@pytest.mark.parametrize("width", [375, 1280])
def test_long_words_and_markup_from_outside_stay_text_within_the_page(
    width: int, dead_jobs: DeadJobs, live_server: LiveServer, visiting: Visiting
) -> None:
    get_user_model().objects.create_superuser("operator", password="a long pass phrase")
    (dead,) = dead_jobs(
        task="probe." + "long_name_" * 20,
        subject="s" * 200,
        error=MARKUP + "W" * 400,
        reason=MARKUP,
        traceback="T" * 3000 + MARKUP,
        args={"k" * 200: "v" * 1000},
        generation=3,
    )
    letter = DeadLetter.objects.create(queue="q" * 100, reason=MARKUP, headers={"h": "x" * 2000}, body="B" * 5000)
    with visiting(viewport={"width": width, "height": 800}) as visit:
        page = visit.page
        page.goto(f"{live_server.url}/admin/login/")
        page.get_by_label("Username").fill("operator")
        page.get_by_label("Password").fill("a long pass phrase")
        page.get_by_role("button", name="Log in").click()
        for path in (
            "deadjob/",
            f"deadjob/{dead.pk}/change/",
            f"deadjob/replay/?jobs={dead.pk}:3",
            f"deadjob/discard/?jobs={dead.pk}:3",
            "deadletter/",
            f"deadletter/{letter.pk}/change/",
            f"deadletter/discard/?letters={letter.pk}",
            "job/",
        ):
            response = page.goto(f"{live_server.url}/admin/jobs/{path}")
            assert response is not None
            assert response.status == 200, path
            assert page.evaluate("document.documentElement.scrollWidth") == width, path
        assert visit.complaints == []
