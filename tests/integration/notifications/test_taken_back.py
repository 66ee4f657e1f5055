"""What becomes of an attempt whose notification is not queued any more when the provider answers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from notifications.deliver import deliver
from notifications.feedback.transitions import climb
from notifications.models import Notification
from notifications.transitions import mark_suppressed
from tests.fixtures_notifications import MailServer, content
from tests.processes import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("code", [451, 550])
@pytest.mark.parametrize("how", ["taken back", "told that it is out"])
def test_a_failure_of_what_is_not_queued_any_more_is_nobodys_concern(
    mail_server: MailServer, queued_notification: Notification, code: int, how: str
) -> None:
    mail_server.turn(fail_next=1, fail_code=code, latency_ms=400)
    pk = queued_notification.pk

    def attempt() -> None:
        try:
            deliver(notification_id=pk, content=content())
        finally:
            connection.close()

    change: Callable[[], bool] = {
        "taken back": lambda: mark_suppressed(notification_id=pk, reason="its address was corrected"),
        "told that it is out": lambda: climb(notification_id=pk, to=Notification.Status.DELIVERED),
    }[how]
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(attempt)
        wait_for(lambda: Notification.objects.get().attempts == 1, seconds=10)
        assert change()
        running.result(timeout=20)  # no error: the job is done, neither dead nor to be tried again
    queued_notification.refresh_from_db()
    assert queued_notification.status in ("suppressed", "delivered")
    assert str(code) not in queued_notification.last_error
