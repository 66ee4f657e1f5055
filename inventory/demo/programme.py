"""The demo's houses and their programme: invented, and told in the house's own local time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import time
from enum import Enum
from functools import partial
from pathlib import Path

from inventory.demo.arena import arena_plan
from inventory.demo.blocks import Json
from inventory.demo.concert_hall import concert_hall_plan


class Sold(Enum):
    """How much of a show the demo has sold already."""

    NOTHING = "nothing"
    SOME = "some"
    NEARLY_ALL = "nearly all"
    ALL = "all"


@dataclass(frozen=True)
class DemoVenue:
    """A house; ``plan`` gives the document of its seating plan."""

    slug: str
    name: str
    city: str
    address: str
    time_zone: str
    currency: str
    prices: tuple[int, ...]  # of the plan's categories in their order, in the minor unit; the last one for all further
    plan: Callable[[], Json]


@dataclass(frozen=True)
class DemoShow:
    """A show ``in_days`` days from today. With ``opens_in_days`` its sale is still to open."""

    venue: str
    title: str
    subtitle: str
    description: str
    in_days: int
    at: time
    sold: Sold = Sold.NOTHING
    opens_in_days: int = 0
    is_free: bool = False


def _file(name: str) -> Json:
    """A plan that lies beside this module."""
    document: Json = json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return document


VENUES = (
    DemoVenue(
        slug="kammertheater-am-kanal",
        name="Kammertheater am Kanal",
        city="Berlin",
        address="Erlenufer 14\n10999 Berlin\nGermany",
        time_zone="Europe/Berlin",
        currency="EUR",
        prices=(4200, 2800, 1800),
        plan=partial(_file, "kammertheater.json"),
    ),
    DemoVenue(
        slug="the-lantern-room",
        name="The Lantern Room",
        city="New York",
        address="418 Ropewalk Lane\nNew York, NY 10014\nUnited States",
        time_zone="America/New_York",
        currency="USD",
        prices=(3800, 2400, 1500),
        plan=partial(_file, "lantern_room.json"),
    ),
    DemoVenue(
        slug="aozakura-hall",
        name="Aozakura Hall",
        city="Tokyo",
        address="3-8-21 Aozakura-dori\nMinato City, Tokyo 106-0099\nJapan",
        time_zone="Asia/Tokyo",
        currency="JPY",
        prices=(9800, 6800, 4500, 3000),
        plan=concert_hall_plan,
    ),
    DemoVenue(
        slug="speicherbogen-arena",
        name="Speicherbogen Arena",
        city="Hamburg",
        address="Am Speicherbogen 1\n20457 Hamburg\nGermany",
        time_zone="Europe/Berlin",
        currency="EUR",
        prices=(5900, 8900, 6900, 4900, 3900),
        plan=arena_plan,
    ),
)

SHOWS = (
    DemoShow(
        "kammertheater-am-kanal",
        "The Glass Lighthouse",
        "A play in two acts",
        "Two sisters return to the island where their father kept the light, to empty the house before the winter "
        "storms. What begins with boxes and teacups ends with the question of who may leave and who has to stay. "
        "A quiet, funny and stubborn evening about inheritance, with live music. About two hours, one interval.",
        in_days=3,
        at=time(19, 30),
        sold=Sold.NEARLY_ALL,
    ),
    DemoShow(
        "kammertheater-am-kanal",
        "Nightbirds",
        "Songs for voice and double bass",
        "An hour of songs for those who walk home late: lullabies, sea shanties and a tango or two, arranged for one "
        "voice and one double bass. No microphones, hardly any light. Please come on time, the doors stay shut once "
        "it has begun. Seventy minutes without an interval.",
        in_days=6,
        at=time(20, 0),
        sold=Sold.SOME,
    ),
    DemoShow(
        "kammertheater-am-kanal",
        "The Broken Compass",
        "A comedy of wrong turns",
        "A travel agent who has never travelled is mistaken for a polar explorer and is too polite to say so. Three "
        "actors play nineteen people, four dogs and a blizzard. For everyone from twelve years on. Two hours with an "
        "interval, and hot soup at the bar.",
        in_days=12,
        at=time(19, 30),
    ),
    DemoShow(
        "kammertheater-am-kanal",
        "Winter Letters",
        "A reading by candlelight",
        "Letters that were never posted, found in a desk that was sold at an auction. The ensemble reads them in the "
        "order in which they were written, over one long winter, while the house smells of beeswax and oranges. "
        "Ninety minutes without an interval.",
        in_days=26,
        at=time(18, 0),
        opens_in_days=5,
    ),
    DemoShow(
        "the-lantern-room",
        "Low Tide Quartet",
        "Late jazz in two sets",
        "Trumpet, piano, bass and brushes: the house quartet brings new pieces "
        "written on the ferry. The first set is for listening, the second for whatever happens. The bar is open all "
        "night. Two sets of fifty minutes.",
        in_days=2,
        at=time(21, 0),
        sold=Sold.ALL,
    ),
    DemoShow(
        "the-lantern-room",
        "Small Hours",
        "An evening of short stories",
        "Five storytellers, ten minutes each, no notes. Tonight’s word is “borrowed”. One of the stories is not true, "
        "and the room votes which one. Hosted from the corner table with a bell and a kitchen timer. About ninety "
        "minutes.",
        in_days=8,
        at=time(20, 0),
        sold=Sold.SOME,
        is_free=True,
    ),
    DemoShow(
        "the-lantern-room",
        "The Understudy’s Revenge",
        "Improvised theatre",
        "Every night the lead falls ill, and every night the understudy goes on without knowing the play. Neither do "
        "the others, since the audience makes it up. A different disaster each time, with costumes from the attic "
        "and a piano that is almost in tune. Seventy-five minutes.",
        in_days=15,
        at=time(19, 30),
    ),
    DemoShow(
        "the-lantern-room",
        "Paper Boats",
        "A puppet show for grown-ups",
        "A fleet of folded newspapers crosses a bathtub, a harbour and, at last, an ocean. A show without words about "
        "leaving home, for two puppeteers and a lot of paper. Bring a page that you can spare. Sixty minutes, from "
        "ten years on.",
        in_days=30,
        at=time(19, 0),
    ),
    DemoShow(
        "aozakura-hall",
        "Pictures of a Floating City",
        "Orchestral concert",
        "A new symphonic poem in seven scenes opens the hall’s season: canals at dawn, a market, rain on tin "
        "roofs, a wedding seen from a bridge. After the interval the orchestra turns to dances from five harbours. "
        "An introduction in the foyer begins half an hour before. About two hours, one interval.",
        in_days=5,
        at=time(19, 0),
        sold=Sold.SOME,
    ),
    DemoShow(
        "aozakura-hall",
        "Music at the Edge of Morning",
        "Bamboo flute, strings and electronics",
        "Five pieces that follow one night from dusk to first light. Players stand among the audience, on the balcony "
        "and behind the stage, so that every seat hears a different concert. The last piece ends in silence; please "
        "let it. Eighty minutes without an interval.",
        in_days=9,
        at=time(18, 30),
    ),
    DemoShow(
        "speicherbogen-arena",
        "The Comet Choir",
        "The Long Way Round tour",
        "Eleven voices, four drum kits and a horn section that arrives through the audience: the choir brings the "
        "songs of its third record to the big halls, and a new one that is written on the evening, from what the "
        "audience calls out. Stand in front or sit all around. Two hours without a break.",
        in_days=18,
        at=time(20, 0),
        sold=Sold.SOME,
    ),
    DemoShow(
        "aozakura-hall",
        "The Clockmaker’s Garden",
        "A ballet in three scenes",
        "A clockmaker builds a garden in which nothing ever wilts, and then a gardener walks in. The company dances "
        "its most loved story with a new set of two thousand brass flowers. For everyone from six years on. Two "
        "hours and ten minutes, two intervals.",
        in_days=20,
        at=time(18, 0),
        sold=Sold.SOME,
    ),
    DemoShow(
        "aozakura-hall",
        "Kites over the Harbour",
        "Family concert",
        "Big drums, small flutes and a dragon kite that is longer than the stage. An hour of music that children may "
        "clap to, shout at and, towards the end, conduct. Prams can be left in the foyer; booster cushions are at the "
        "doors. Sixty minutes.",
        in_days=33,
        at=time(17, 0),
    ),
)
