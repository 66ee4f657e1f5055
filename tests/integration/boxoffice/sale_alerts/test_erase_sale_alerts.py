"""Who was told, or waits for nothing any more, is forgotten."""

from __future__ import annotations

from threading import Thread

import pytest
from django.db import connection, transaction

from boxoffice.erase_sale_alerts import BATCH, erase_sale_alert, erase_sale_alerts
from boxoffice.models import SaleAlert
from inventory.advance_show import advance_show
from inventory.models import Show
from inventory.move_sale_opening import move_sale_opening
from jobs.clock import database_now
from tests.fixtures_clock import Clock
from tests.processes import wait_for
from tests.sale_alerts import DAY, ask, open_and_tell, send_all
from tests.waiting_sessions import somebody_waits_for_us

pytestmark = pytest.mark.django_db

real_commits = pytest.mark.django_db(transaction=True)


def test_addresses_are_erased_once_their_mail_has_left_and_not_before(
    show_opening_tomorrow: Show, clock: Clock
) -> None:
    ask(show_opening_tomorrow)
    assert erase_sale_alerts() == 0
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    assert erase_sale_alerts() == 0
    send_all()
    assert erase_sale_alerts() == 1
    assert not SaleAlert.objects.exists()


@pytest.mark.parametrize("end", ["cancelled", "over", "begun"])
def test_addresses_that_wait_for_nothing_any_more_are_erased(
    show_opening_tomorrow: Show, clock: Clock, end: str
) -> None:
    ask(show_opening_tomorrow)
    if end == "begun":
        clock.advance(8 * DAY)
    else:
        advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status(end))
    assert erase_sale_alerts() == 1


def test_more_addresses_than_one_batch_are_erased(show_opening_tomorrow: Show) -> None:
    SaleAlert.objects.bulk_create(
        SaleAlert(show=show_opening_tomorrow, email=f"fan{n}@example.org", language="en", token=f"t{n}")
        for n in range(BATCH + 1)
    )
    advance_show(show_id=show_opening_tomorrow.pk, to=Show.Status.CANCELLED)
    assert erase_sale_alerts() == BATCH + 1


def test_the_secret_of_one_address_erases_no_other(show_opening_tomorrow: Show) -> None:
    ask(show_opening_tomorrow)
    ask(show_opening_tomorrow, "eva@example.org")
    assert erase_sale_alert(token=SaleAlert.objects.get(email="ada@example.org").token)
    assert not erase_sale_alert(token="")
    assert SaleAlert.objects.get().email == "eva@example.org"


@real_commits
def test_who_asks_again_while_what_is_over_is_erased_stays(show_opening_tomorrow: Show, clock: Clock) -> None:
    ask(show_opening_tomorrow)
    clock.advance(DAY)
    open_and_tell(show_opening_tomorrow)
    send_all()
    move_sale_opening(show_id=show_opening_tomorrow.pk, on_sale_at=database_now() + DAY)
    erased: list[int] = []

    def erase() -> None:
        erased.append(erase_sale_alerts())
        connection.close()

    eraser = Thread(target=erase)
    with transaction.atomic():
        ask(show_opening_tomorrow)
        eraser.start()
        wait_for(lambda: bool(erased) or somebody_waits_for_us())
    eraser.join(timeout=10)
    assert erased == [0]
    assert SaleAlert.objects.count() == 1
