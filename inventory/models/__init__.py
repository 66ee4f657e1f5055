"""What can be sold: venues with their seating plans, shows with their tiers, seats and sale openings, and holds."""

from inventory.models.hold import Hold
from inventory.models.sale_opening import SaleOpening
from inventory.models.seat import Seat
from inventory.models.show import PriceTier, Show
from inventory.models.venue import SeatingPlan, Venue

__all__ = ["Hold", "PriceTier", "SaleOpening", "Seat", "SeatingPlan", "Show", "Venue"]
