"""A message that cannot be written: its row says how often it was tried, and why."""

from __future__ import annotations

import pytest
from django.db import transaction

from boxoffice.errors import DocumentMissing
from boxoffice.models import Order
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.write_message import write_and_send
from notifications.models import Notification
from notifications.transitions import mark_suppressed
from notifications.unwritten import note_unwritten
from tests.fixtures_notifications import MailServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail_without_tickets(confirmed_order: Order) -> Notification:
    """Planned before there is a file to attach."""
    with transaction.atomic():
        plan_tickets_mail(order_id=confirmed_order.pk)
    return Notification.objects.get()


def test_staff_see_in_the_row_that_and_why_it_could_not_be_written(mail_without_tickets: Notification) -> None:
    for attempts in (1, 2):
        with pytest.raises(DocumentMissing):
            write_and_send(notification_id=mail_without_tickets.pk)
        mail_without_tickets.refresh_from_db()
        assert (mail_without_tickets.status, mail_without_tickets.attempts) == ("queued", attempts)
        assert mail_without_tickets.last_error.startswith("The tickets of this order have not been stored.")


def test_what_an_error_of_others_says_is_not_kept_as_it_may_name_people(mail_without_tickets: Notification) -> None:
    note_unwritten(notification_id=mail_without_tickets.pk, error=OSError("/media/ada@example.org"))
    mail_without_tickets.refresh_from_db()
    assert mail_without_tickets.last_error == "It could not be written (OSError)."


def test_what_was_taken_back_is_not_even_written_so_its_job_cannot_die(
    mail_without_tickets: Notification, mail_server: MailServer
) -> None:
    mark_suppressed(notification_id=mail_without_tickets.pk, reason="its address was corrected")
    write_and_send(notification_id=mail_without_tickets.pk)
    assert mail_server.messages() == []
