"""What a hall of 12,000 places costs the server of its seat map, and the browser: ``make bench-seat-map``.

Three comparisons with the plain way, which reads the seats as objects and writes each of them as JSON: the layout,
made anew each time; the states, read anew each time; and the states for a thousand fans in a second, who ask one after
the other with the tag that they have, as browsers do, while somebody takes seats. Bytes are what goes over the wire,
compressed. Both ways must tell the same of every seat. Rounds alternate, on one show in a database of its own. Then
a browser opens the page: :mod:`bench.seat_map_in_browser`.
"""

from __future__ import annotations

import bench.setup_django  # noqa: F401  # isort: skip

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from bench.report import report, say
from bench.scratch_database import scratch_database
from bench.seat_map_in_browser import compare_in_browser
from boxoffice.storefront import seat_board
from boxoffice.storefront.packed import PackedJson
from boxoffice.storefront.seat_layout import lay_out
from inventory.advance_show import advance_show
from inventory.create_show import create_show
from inventory.demo.arena import arena_plan
from inventory.hold_seats import hold_best_seats
from inventory.import_seating_plan import import_seating_plan
from inventory.models import SeatingPlan, Show, Venue
from inventory.places import places_of_show
from inventory.pretix_plan import check_plan
from inventory.seat_states import states_of_show
from inventory.selectors import seats_of_show
from jobs.clock import database_now

LAYOUT_TARGET = 2.0
STATES_TARGET = 10.0
FANS_TARGET = 100.0
FANS = 1000
PEERS_FANS = 5  # enough to know what one costs; a thousand would take minutes
WIRE_LIMIT = 150_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit status: 0 when the figures are good enough and both ways told the same."""
    parser = argparse.ArgumentParser(prog="python -m bench.seat_map", description="A seat map of 12,000 places.")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with scratch_database(name="seat_map"):
        show = _arena_on_sale()
        good = [compare(show, options.rounds) for compare in (_compare_layout, _compare_states, _compare_fans)]
        good.append(compare_in_browser(show, options.rounds))
    return 0 if all(good) else 1


def plain_layout(show: Show) -> bytes:
    """All seats as objects with their tiers, one JSON object each."""
    seats = [
        {
            "id": seat.pk,
            "zone": seat.zone,
            "row": seat.row,
            "number": seat.number,
            "x": seat.x,
            "y": seat.y,
            "tier": {"id": seat.tier_id, "name": seat.tier.name, "price": seat.tier.price},
        }
        for seat, _state in seats_of_show(show_id=show.pk)
    ]
    return gzip.compress(json.dumps({"seats": seats}).encode())


def plain_states(show: Show) -> bytes:
    """The state of each seat by its id, from objects."""
    return gzip.compress(json.dumps({seat.pk: state for seat, state in seats_of_show(show_id=show.pk)}).encode())


def our_layout(show: Show) -> bytes:
    document = SeatingPlan.objects.values_list("document", flat=True).get(pk=show.plan_id)
    layout = lay_out(places=places_of_show(show_id=show.pk), tiers=list(show.tiers.all()), document=document)
    return _wire(PackedJson(layout, level=9))


def our_states(show: Show) -> bytes:
    read = states_of_show(slug=show.slug)
    assert read is not None
    return _wire(seat_board.Board(read, earlier={}).since(""))


def _compare_layout(show: Show, rounds: int) -> bool:
    ours, peer = _alternate(lambda: our_layout(show), lambda: plain_layout(show), rounds)
    layout, plain = json.loads(gzip.decompress(ours.wire)), json.loads(gzip.decompress(peer.wire))
    same = _ids(layout) == [seat["id"] for seat in plain["seats"]]
    return report(
        bench="seat_map layout",
        ours=ours.ms,
        peer=peer.ms,
        peer_name="objects to JSON",
        unit="ms",
        lower_is_better=True,
        target=LAYOUT_TARGET,
        sound=same and len(ours.wire) < WIRE_LIMIT,
        bytes=len(ours.wire),
        peer_bytes=len(peer.wire),
        places=len(plain["seats"]),
    )


def _compare_states(show: Show, rounds: int) -> bool:
    _take_some(show, holds=100)
    ours, peer = _alternate(lambda: our_states(show), lambda: plain_states(show), rounds)
    letters = json.loads(gzip.decompress(ours.wire))["all"]
    same = letters == "".join(state[0] for state in json.loads(gzip.decompress(peer.wire)).values())
    return report(
        bench="seat_map states",
        ours=ours.ms,
        peer=peer.ms,
        peer_name="objects to JSON",
        unit="ms",
        lower_is_better=True,
        target=STATES_TARGET,
        sound=same,
        bytes=len(ours.wire),
        peer_bytes=len(peer.wire),
        taken=len(letters) - letters.count("f"),
    )


def _compare_fans(show: Show, rounds: int) -> bool:
    """What each of a thousand fans costs who ask in the same second."""
    sizes: list[int] = []

    def ask_all() -> bytes:
        seat_board.forget()
        first = seat_board.board_of(show.slug)
        assert first is not None
        assert first.tag is not None
        _take_some(show, holds=1)
        time.sleep(seat_board.REMEMBERED_SECONDS)  # the next question reads anew
        return first.tag.encode()

    def fans(tag: str) -> bytes:
        wire = b""
        for _fan in range(FANS):
            board = seat_board.board_of(show.slug)
            assert board is not None
            wire = _wire(board.since(tag))
        sizes.append(len(wire))
        return wire

    ours, peer = Series(), Series()
    for number in range(rounds):
        tag = ask_all().decode()
        ours.add(lambda tag=tag: fans(tag), share=FANS)  # type: ignore[misc]
        peer.add(lambda: [plain_states(show) for _fan in range(PEERS_FANS)][-1], share=PEERS_FANS)
        say(f"round {number + 1}: ours {ours.ms[-1]:.4f} ms, peer {peer.ms[-1]:.1f} ms for a fan")
    return report(
        bench="seat_map fans",
        ours=[1000 * ms for ms in ours.ms],
        peer=[1000 * ms for ms in peer.ms],
        peer_name="objects to JSON, for each fan",
        unit="µs a fan",
        lower_is_better=True,
        target=FANS_TARGET,
        sound=max(sizes) < 300,
        bytes=max(sizes),
        peer_bytes=len(peer.wire),
        fans=FANS,
    )


class Series:
    """Times of one way, in milliseconds, and the last answer as it goes over the wire."""

    def __init__(self) -> None:
        self.ms: list[float] = []
        self.wire = b""

    def add(self, answer: Callable[[], bytes], *, share: int = 1) -> None:
        started = time.perf_counter()
        self.wire = answer()
        self.ms.append(1000 * (time.perf_counter() - started) / share)


def _alternate(ours: Callable[[], bytes], peer: Callable[[], bytes], rounds: int) -> tuple[Series, Series]:
    results = Series(), Series()
    ours(), peer()  # warm
    for _round in range(rounds):
        results[0].add(ours)
        results[1].add(peer)
    return results


def _take_some(show: Show, *, holds: int) -> None:
    tiers = list(show.tiers.all())
    for nth in range(holds):
        hold_best_seats(show_id=show.pk, tier_id=tiers[nth % len(tiers)].pk, count=2)


def _wire(packed: PackedJson) -> bytes:
    return packed.compressed or packed.plain


def _ids(layout: dict[str, Any]) -> list[int]:
    ids: list[int] = []
    for zone in layout["zones"]:
        for row in zone["rows"]:
            seat = 0
            for step in row["ids"]:
                seat += step
                ids.append(seat)
    return ids


def _arena_on_sale() -> Show:
    venue = Venue.objects.create(name="Arena", slug="arena", city="Hamburg", address="-", time_zone="Europe/Berlin")
    document = arena_plan()
    now = database_now()
    show = create_show(
        plan=import_seating_plan(venue=venue, raw=json.dumps(document).encode()),
        title="Bench",
        starts_at=now + timedelta(days=1),
        on_sale_at=now - timedelta(days=1),
        currency="EUR",
        prices={category.name: 4500 for category in check_plan(document).categories},
    )
    advance_show(show_id=show.pk, to=Show.Status.SCHEDULED)
    return show


if __name__ == "__main__":
    sys.exit(main())
