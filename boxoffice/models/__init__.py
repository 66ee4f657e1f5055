"""What a sale is made of: the order with its lines, the attempts to take money and to give it back, and who is told."""

from boxoffice.models.access_action import AccessAction, AuditTrail
from boxoffice.models.asked_orders import AskedOrders
from boxoffice.models.attention import AskedAttention, Attention, AttentionAction
from boxoffice.models.balance_transaction import BalanceTransaction
from boxoffice.models.books_action import BooksAction
from boxoffice.models.cancellation import Cancellation, CancellationStep, CancelledOrder, WriteOff
from boxoffice.models.dispute import Dispute, DisputeStep
from boxoffice.models.export import Export, ExportAction
from boxoffice.models.hold_action import HoldAction
from boxoffice.models.order import Order, OrderLine
from boxoffice.models.order_action import OrderAction
from boxoffice.models.order_note import OrderNote
from boxoffice.models.order_word import OrderWord
from boxoffice.models.payment import Payment
from boxoffice.models.promotion import Promotion
from boxoffice.models.provider_event import ProviderEvent
from boxoffice.models.reconciliation import Finding, Reconciliation
from boxoffice.models.refund import Refund
from boxoffice.models.refund_offer import RefundOffer
from boxoffice.models.reminder import Reminder
from boxoffice.models.sale_alert import SaleAlert
from boxoffice.models.sales import SalesChange, SalesCount, SalesDay, Takings, TierSeats
from boxoffice.models.show_action import ShowAction

__all__ = [
    "AccessAction",
    "AskedAttention",
    "AskedOrders",
    "Attention",
    "AttentionAction",
    "AuditTrail",
    "BalanceTransaction",
    "BooksAction",
    "Cancellation",
    "CancellationStep",
    "CancelledOrder",
    "Dispute",
    "DisputeStep",
    "Export",
    "ExportAction",
    "Finding",
    "HoldAction",
    "Order",
    "OrderAction",
    "OrderLine",
    "OrderNote",
    "OrderWord",
    "Payment",
    "Promotion",
    "ProviderEvent",
    "Reconciliation",
    "Refund",
    "RefundOffer",
    "Reminder",
    "SaleAlert",
    "SalesChange",
    "SalesCount",
    "SalesDay",
    "ShowAction",
    "Takings",
    "TierSeats",
    "WriteOff",
]
