"""What staff do to shows, in a browser: nothing scrolls sideways, nothing is complained of, in two languages."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django.live_server_helper import LiveServer

from boxoffice.confirm_order import confirm_order
from boxoffice.shows.put_aside import put_aside
from inventory.hold_seats import hold_seats
from inventory.models import Seat, Show
from tests.desk_in_a_browser import bring_session, look_at, session_of_an_operator
from tests.fixtures_boxoffice import place
from tests.fixtures_inventory import seat_ids
from tests.fixtures_storefront import Visiting

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "Wolfeschlegelsteinhausenbergerdorff" * 3


@pytest.fixture
def busy_show(show_on_sale: Show) -> Show:
    """Some seats sold, some held, some aside."""
    for guids, name in ((("B-1", "B-2", "B-3"), f"Ada {LONG}"[:190]), (("C-1",), "Zoe Adams")):
        hold = hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, *guids))
        confirm_order(order_id=place(hold, name=name).pk)
    hold_seats(show_id=show_on_sale.pk, seat_ids=seat_ids(show_on_sale, "A-1", "A-2"))
    seen = dict(Seat.objects.filter(show=show_on_sale, guid__in=("D-1", "D-2")).values_list("pk", "version"))
    put_aside(show_id=show_on_sale.pk, seen=seen, by="anna", reason=f"for the sound desk {LONG}")
    return show_on_sale


@pytest.mark.parametrize(("width", "language"), [(320, "de"), (1280, "en")])
def test_the_pages_about_a_show_keep_their_width(
    width: int, language: str, busy_show: Show, client: Client, live_server: LiveServer, visiting: Visiting
) -> None:
    session = session_of_an_operator(client)
    show = f"/admin/inventory/show/{busy_show.pk}"
    addresses = {
        "show": f"{show}/change/", "aside": f"{show}/aside/", "aside-ask": f"{show}/aside/?what=aside&seats=A 1-8; B 1",
        "aside-no": f"{show}/aside/?what=aside&seats=Z 1", "move": f"{show}/move/",
        "move-ask": f"{show}/move/?starts=2032-06-01T20:00&doors=&seen={busy_show.version}",
        "move-no": f"{show}/move/?starts=2002-06-01T20:00&doors=&seen={busy_show.version}",
        "postpone": f"{show}/postpone/",
        "postpone-ask": f"{show}/postpone/?starts=&refund_until=&seen={busy_show.version}",
        "money-back": f"{show}/money-back/", "cancel": f"{show}/cancel/", "house": f"{show}/house/",
        "door-name": f"{show}/door-list/", "door-seat": f"{show}/door-list/?by=seat",
    }  # fmt: skip
    with visiting(viewport={"width": width, "height": 900}) as visit:
        bring_session(visit, live_server, session, language=language)
        for name, address in addresses.items():
            look_at(visit, live_server, address, name=f"{name}-{width}-{language}", width=width)
        visit.page.emulate_media(media="print")
        assert visit.page.locator("#header").is_hidden()
        assert visit.page.locator(".door-list tbody tr").count() == 4
        assert visit.complaints == []
