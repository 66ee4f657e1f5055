"""Rendering tickets: ``make bench-tickets``.

Ours is ``render_document``: boxes placed absolutely, one parsed style sheet and one set of fonts for each process. The
peer is a plain ticket as one would write it first, with the same texts, the same font and a code of the same modules:
flex and grid, and a document that reads its own style. They take turns; what counts is CPU time, since a worker renders
one document after another. Alone and in documents of 10 and 100, then once in each script, whose fonts cost more.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import base64
import io
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from statistics import median

import segno
import weasyprint
from django.utils.html import escape

from bench.report import report, say
from inventory.models import PriceTier, Seat, Show, Venue
from tickets.models import Ticket
from tickets.qr import sign_ticket
from tickets.ticket_assets import FONTS, WIDEST_FONT
from tickets.write_document import render_document

SIZES = {1: 3.0, 10: 4.0, 100: 4.0}
"""Tickets in a document, and how many times faster than the peer we must be."""
MOST_MILLISECONDS = {1: 60.0, 10: 25.0, 100: 25.0}
"""CPU for each ticket: twice what it takes on a quiet machine of 2026, so that only a real loss is told."""
ROUNDS = {1: 15, 10: 5, 100: 3}

SCRIPTS = {
    "Latin": ("The Winter’s Tale", "Ada Lovelace"),
    "Arabic": ("ألف ليلة وليلة", "محمد بن عبد الله"),
    "Hebrew": ("הדיבוק", "דוד בן גוריון"),
    "Thai": ("รามเกียรติ์", "สมชาย ใจดี"),
    "Chinese": ("牡丹亭", "王小明"),
    "Japanese": ("曽根崎心中", "山田 タロウ"),
    "Korean": ("춘향전", "김민수"),
    "emoji": ("Rock 🎸 & Roll 🎉", "Zoë 🦄"),
}

PLAIN = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tickets</title><style>
@font-face {{ font-family: Brygada; font-weight: 700; src: url("{font}"); }}
@page {{ size: A4; margin: 0; }}
body {{ margin: 0; font: 700 10.5pt/1.3 Brygada, sans-serif; }}
.page {{ break-after: page; height: 297mm; display: flex; flex-direction: column; }}
.front {{ width: 87mm; padding: 9mm; display: grid; grid-template-rows: auto auto auto; row-gap: 3mm; }}
.seat {{ display: flex; gap: 3mm; font-size: 25pt; }}
.foot {{ display: grid; grid-template-columns: 44mm 1fr; column-gap: 3mm; }}
.foot img {{ width: 44mm; }}
h1 {{ font-size: 25pt; margin: 0; border-top: 1.2mm solid #a3231f; }}
p {{ margin: 0; }}
</style></head><body>{pages}</body></html>"""
PAGE = """<section class="page"><div class="front"><div><h1>{title}</h1><p>{subtitle}</p><p>{date}</p><p>{time}</p>
<p>{doors}</p><p>{venue}</p><p>{address}</p></div><p>{section}</p>
<div class="seat"><span>{row}</span><b>{seat}</b></div>
<div class="foot"><img src="{code}" alt="QR code"><div>
<p>{place}</p><p>{ticket}</p><p>{order}</p><p>{name}</p></div></div>
</div></section>"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when every size is fast enough, beside the peer and by the clock."""
    parser = argparse.ArgumentParser(prog="python -m bench.tickets", description="Ticket PDFs, alone and in batches.")
    parser.parse_args(arguments)
    in_scripts = {name: _in_script(*texts) for name, texts in SCRIPTS.items()}
    for name, (milliseconds, size) in in_scripts.items():
        say(f"{name}: {milliseconds:.0f} ms CPU alone, {size / 1000:.0f} kB")
    good = [_compare(size, in_scripts) for size in SIZES]
    return 0 if all(good) else 1


def _compare(size: int, in_scripts: dict[str, tuple[float, int]]) -> bool:
    tickets = [_ticket(number) for number in range(1, size + 1)]
    ours: list[float] = []
    peer: list[float] = []
    for number in range(-1, ROUNDS[size]):  # the first round warms both up, and is not counted
        ways = [(ours, lambda: render_document(tickets=tickets)), (peer, lambda: _plain(tickets))]
        for times, way in ways if number % 2 else reversed(ways):
            milliseconds = _cpu(way) / size
            if number >= 0:
                times.append(milliseconds)
    return report(
        bench=f"tickets-{size}",
        ours=ours,
        peer=peer,
        peer_name="a plain WeasyPrint ticket in flex and grid",
        unit="ms CPU a ticket",
        target=SIZES[size],
        lower_is_better=True,
        sound=median(ours) <= MOST_MILLISECONDS[size],
        most_milliseconds=MOST_MILLISECONDS[size],
        bytes=len(render_document(tickets=tickets)),
        peer_bytes=len(_plain(tickets)),
        **({"alone_in_script": {name: round(took) for name, (took, _) in in_scripts.items()}} if size == 1 else {}),
    )


def _in_script(title: str, name: str) -> tuple[float, int]:
    """CPU milliseconds and bytes of one ticket, its fonts known already."""
    ticket = _ticket(1, title=title, name=name)
    size = len(render_document(tickets=[ticket]))
    return min(_cpu(lambda: render_document(tickets=[ticket])) for _ in range(3)), size


def _cpu(way: Callable[[], object]) -> float:
    began = time.process_time()
    way()
    return (time.process_time() - began) * 1000


def _plain(tickets: Sequence[Ticket]) -> bytes:
    pages = "".join(_plain_page(ticket, place, len(tickets)) for place, ticket in enumerate(tickets, start=1))
    markup = PLAIN.format(font=(FONTS / WIDEST_FONT).as_uri(), pages=pages)
    return bytes(weasyprint.HTML(string=markup).write_pdf(pdf_variant="pdf/ua-1"))


def _plain_page(ticket: Ticket, place: int, count: int) -> str:
    show, seat = ticket.show, ticket.seat
    picture = io.BytesIO()
    segno.make(sign_ticket(code=ticket.code, show_id=ticket.show_id), error="m").save(picture, kind="png", scale=4)
    texts = {
        "title": show.title,
        "subtitle": show.subtitle,
        "date": f"{show.starts_at_local:%A %d %B %Y}",
        "time": f"{show.starts_at_local:%H:%M}, Berlin time",
        "doors": f"Doors open at {show.doors_at_local:%H:%M}",
        "venue": show.venue.name,
        "address": show.venue.address,
        "section": f"{seat.zone}, {seat.tier.name}",
        "row": f"Row {seat.row}",
        "seat": f"Seat {seat.number}",
        "place": f"Ticket {place} of {count}",
        "ticket": ticket.printed_code,
        "order": f"Order {ticket.order_code}",
        "name": ticket.holder_name,
        "code": f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}",
    }
    return PAGE.format_map({name: escape(text) for name, text in texts.items()})


def _ticket(number: int, *, title: str = "The Winter’s Tale", name: str = "Ada Lovelace") -> Ticket:
    """A ticket that was never stored."""
    venue = Venue(name="Kammertheater", address="Ufer 1, Berlin", city="Berlin", time_zone="Europe/Berlin")
    starts_at, doors_at = (datetime(2026, 12, 12, hour, 30, tzinfo=UTC) for hour in (18, 17))
    show = Show(
        id=42, venue=venue, title=title, subtitle="in a new translation", starts_at=starts_at, doors_at=doors_at
    )
    seat = Seat(zone="Stalls left", row="C", number=str(number), tier=PriceTier(name="Category A"))
    return Ticket(
        order_id=1,
        order_code="QH7K3XPW",
        show=show,
        seat=seat,
        code=f"K7QM2{number:03d}",
        holder_name=name,
        language="en",
    )


if __name__ == "__main__":
    sys.exit(main())
