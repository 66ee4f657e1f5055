"""What a sale is made of: the order with its lines, and the attempts to take money and to give it back."""

from boxoffice.models.order import Order, OrderLine
from boxoffice.models.payment import Payment
from boxoffice.models.refund import Refund

__all__ = ["Order", "OrderLine", "Payment", "Refund"]
