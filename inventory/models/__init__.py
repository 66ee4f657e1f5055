"""What can be sold: venues with their seating plans, shows with their tiers, seats and sale openings, and holds.

And what is derived from them: availability, and the text that shows are found by.
"""

from inventory.models.availability import Availability, SeatChange
from inventory.models.hold import Hold
from inventory.models.plan_place import PlanPlace
from inventory.models.sale_opening import SaleOpening
from inventory.models.seat import Seat
from inventory.models.show import PriceTier, Show
from inventory.models.show_text import ShowText
from inventory.models.venue import SeatingPlan, Venue

__all__ = [
    "Availability",
    "Hold",
    "PlanPlace",
    "PriceTier",
    "SaleOpening",
    "Seat",
    "SeatChange",
    "SeatingPlan",
    "Show",
    "ShowText",
    "Venue",
]
