"""For the demo: a promoter's shows, links to them, and clicks of two weeks, so that his pages are not empty."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Q

from boxoffice.links.link_words import address_of_show_page
from boxoffice.models import Promotion
from inventory.conditions import show_sells
from inventory.models import Seat, Show
from jobs.clock import database_now
from snip.links.create_link import NewLink, create_links
from snip.models import ClickDay, Link

SHOWS = 2
DAYS = 14
WHERE = ("Poster at the station", "Newsletter", "Leaflet in the foyer")
COUNTRIES = (("DE", 0.8), ("AT", 0.12), ("", 0.08))
REFERRERS = (("", 0.6), ("news.example", 0.25), ("chat.example", 0.15))


def seed_links(*, promoter: Any) -> int:
    """Give him the next shows with room and links to them, each with clicks; return how many links were made.

    Nothing where he has a link already. One transaction.
    """
    if Link.objects.filter(owner=promoter).exists():
        return 0
    shows = _shows_with_room()
    new = [
        NewLink(target=address_of_show_page(show), label=where, show_id=show.pk) for show in shows for where in WHERE
    ]
    with transaction.atomic():
        for show in shows:
            Promotion.objects.get_or_create(show=show, promoter=promoter)
        links = create_links(new=new, owner_id=promoter.pk, by=promoter.get_username())
        today = database_now().date()
        ClickDay.objects.bulk_create(row for link in links for row in _clicks(link, today))
    return len(links)


def _shows_with_room() -> list[Show]:
    """The next ones that sell and have half of their seats left, so that one can buy through the links. One query."""
    free = Count("seats", filter=Q(seats__status=Seat.Status.AVAILABLE))
    counted = Show.objects.filter(show_sells()).annotate(seats_free=free, seats_all=Count("seats"))
    with_room = counted.filter(seats_free__gt=0, seats_free__gte=F("seats_all") / 2)
    return list(with_room.order_by("starts_at", "pk")[:SHOWS])


def _clicks(link: Link, today: date) -> Iterator[ClickDay]:
    """Of each day but today's, drawn by the link's id: more towards the evening, and on Fridays."""
    chance, code = Random(link.pk), link.codes.get().code  # noqa: S311 - to look like clicks
    liked = chance.uniform(0.3, 2)
    for ago in range(1, DAYS):
        day = today - timedelta(days=ago)
        hours = {
            hour: round(liked * chance.uniform(2, 6) * (1 + hour / 12) * (1.6 if day.weekday() == 4 else 1))
            for hour in range(7, 23)
        }
        total = sum(hours.values())
        sums = [(ClickDay.By.HOUR, f"{hour:02}", clicks, clicks // 9) for hour, clicks in hours.items()]
        for by, shares in ((ClickDay.By.COUNTRY, COUNTRIES), (ClickDay.By.REFERRER, REFERRERS)):
            bots = sum(clicks // 9 for clicks in hours.values())
            sums += [(by, value, round(share * total), round(share * bots)) for value, share in shares]
        for by, value, people, bots in sums:
            for is_bot, clicks in ((False, people), (True, bots)):
                if clicks:
                    yield ClickDay(code=code, day=day, by=by, value=value, is_bot=is_bot, clicks=clicks)
