"""A purchase as a fan makes it: a show with free seats, two of them, a name, an address, the tickets."""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import dataclass

from deploy.local.fan import Fan, Form, Page, PurchaseFailed

SEATS = "seats"
CARD = "card"


@dataclass(frozen=True)
class Purchase:
    """What the fan has afterwards, and how long the steps took, in milliseconds.

    confirm: None where the provider's event had settled the payment before the fan was back.
    """

    show: str
    order_url: str
    hold: float
    place: float
    confirm: float | None

    @property
    def token(self) -> str:
        """The secret in the address of the order's page."""
        return urllib.parse.urlsplit(self.order_url).path.strip("/").split("/")[1]

    @property
    def document_url(self) -> str:
        return f"{self.order_url}tickets.pdf"


def buy_tickets(fan: Fan, *, seats: int, name: str, email: str) -> Purchase:
    """Buy tickets for the first show that has them, and pay what they cost on the payment provider's page.

    Raises PurchaseFailed with the page that stopped it.
    """
    show, picker, free = _show_with_seats(fan, seats)
    held = fan.send(picker, *free[:seats], page=show)
    checkout = fan.follow(held)
    buyer = checkout.form_with("email")
    if buyer is None:
        raise PurchaseFailed(f"{checkout.url} answered {checkout.status} without a form:\n{checkout.text[:2000]}")
    placed = fan.send(buyer, ("name", name), ("email", email), page=checkout)
    times = server_times(placed)
    confirmed = placed
    if "confirm" not in times:
        confirmed = fan.follow(_paid(fan, fan.follow(placed)))
        times |= server_times(confirmed)
    order = fan.follow(confirmed)
    if order.status != 200:
        raise PurchaseFailed(f"The order's page answered {order.status}:\n{order.text[:2000]}")
    if "place" not in times:
        raise PurchaseFailed(f"{placed.url} answered {placed.status} without place in Server-Timing.")
    return Purchase(show.url, order.url, hold=held.milliseconds, place=times["place"], confirm=times.get("confirm"))


def server_times(page: Page) -> dict[str, float]:
    """What the Server-Timing header says, in milliseconds by name."""
    pattern = r"([\w-]+)\s*;\s*dur=([\d.]+)"
    return {name: float(duration) for name, duration in re.findall(pattern, page.headers.get("server-timing", ""))}


def _paid(fan: Fan, payment: Page) -> Page:
    """What the payment page answers once it was paid with its first card: the way back to the box office."""
    form = payment.form_with(CARD)
    if form is None:
        raise PurchaseFailed(
            f"{payment.url} answered {payment.status} without a card to pay with:\n{payment.text[:2000]}"
        )
    card = next(box for box in form.boxes if box[0] == CARD)
    return fan.send(form, card, page=payment)


def _show_with_seats(fan: Fan, wanted: int) -> tuple[Page, Form, list[tuple[str, str]]]:
    listing = fan.get("/")
    if listing.status != 200:
        raise PurchaseFailed(f"The list of shows answered {listing.status}:\n{listing.text[:2000]}")
    for address in [link for link in listing.links if "/shows/" in link]:
        show = fan.get(address)
        picker = show.form_with(SEATS)
        free = [box for box in picker.boxes if box[0] == SEATS] if picker else []
        if picker and len(free) >= wanted:
            return show, picker, free
    raise PurchaseFailed("No show on the list has free seats to tick.")
