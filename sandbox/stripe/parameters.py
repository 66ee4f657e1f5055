"""The parameters of each endpoint: the part of Stripe's that BoxOffice could use. All others are refused as unknown."""

from __future__ import annotations

from sandbox.stripe.schema import Address, Currency, Email, Field, Flag, Group, Many, Metadata, Span, Text, Whole

_LOCALES = (
    "auto bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hi-IN hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR "
    "ro ru sk sl sv th tr vi zh zh-HK zh-TW"
)
LOCALES = tuple(_LOCALES.split())
EXPAND: dict[str, Field] = {"expand": Many(Text(200), 20)}
PAGED: dict[str, Field] = {
    **EXPAND,
    "limit": Whole(1, 100),
    "starting_after": Text(255),
    "ending_before": Text(255),
}
NOTHING = Group({})
EXPAND_ONLY = Group(EXPAND)

_PRODUCT = Group(
    {
        "name": Text(250),
        "description": Text(),
        "images": Many(Address(2048), 8),
        "metadata": Metadata(),
        "tax_code": Text(255),
        "unit_label": Text(12),
    },
    required=("name",),
)
_PRICE = Group(
    {
        "currency": Currency(),
        "unit_amount": Whole(0),
        "product_data": _PRODUCT,
        "tax_behavior": Text(choices=("exclusive", "inclusive", "unspecified")),
    },
    required=("currency", "unit_amount", "product_data"),
)
SESSION_CREATE = Group(
    {
        **EXPAND,
        "mode": Text(choices=("payment", "setup", "subscription")),
        "ui_mode": Text(choices=("elements", "embedded_page", "form", "hosted_page")),
        "line_items": Many(
            Group(
                {"price_data": _PRICE, "quantity": Whole(1, 999_999), "metadata": Metadata()},
                required=("price_data", "quantity"),
            ),
            100,
        ),
        "success_url": Address(5000),
        "cancel_url": Address(5000),
        "client_reference_id": Text(200),
        "customer_email": Email(800),
        "customer_creation": Text(choices=("always", "if_required")),
        "expires_at": Whole(0),
        "locale": Text(choices=LOCALES),
        "metadata": Metadata(),
        "integration_identifier": Text(255),
        "billing_address_collection": Text(choices=("auto", "required")),
        "payment_method_types": Many(Text(choices=("card", "sepa_debit")), 10),
        "submit_type": Text(choices=("auto", "book", "donate", "pay", "subscribe")),
        "payment_intent_data": Group(
            {
                "description": Text(1000),
                "metadata": Metadata(),
                "receipt_email": Email(800),
                "statement_descriptor_suffix": Text(22),
            }
        ),
    },
    required=("mode",),
)
SESSION_LIST = Group(
    {
        **PAGED,
        "created": Span(),
        "payment_intent": Text(255),
        "status": Text(choices=("complete", "expired", "open")),
        "customer_details": Group({"email": Email(800)}, required=("email",)),
    }
)
LINE_ITEM_LIST = Group(PAGED)
PAYMENT_INTENT_RETRIEVE = Group({**EXPAND, "client_secret": Text(500)})
PAYMENT_INTENT_LIST = Group({**PAGED, "created": Span()})
CHARGE_LIST = Group({**PAGED, "created": Span(), "payment_intent": Text(255)})
REFUND_CREATE = Group(
    {
        **EXPAND,
        "amount": Whole(1),
        "charge": Text(255),
        "payment_intent": Text(255),
        "metadata": Metadata(),
        "reason": Text(choices=("duplicate", "fraudulent", "requested_by_customer")),
    }
)
REFUND_LIST = Group({**PAGED, "created": Span(), "charge": Text(255), "payment_intent": Text(255)})
DISPUTE_LIST = Group({**PAGED, "created": Span(), "charge": Text(255), "payment_intent": Text(255)})
BALANCE_TRANSACTION_LIST = Group(
    {
        **PAGED,
        "created": Span(),
        "currency": Currency(),
        "payout": Text(255),
        "source": Text(255),
        "type": Text(
            choices=("adjustment", "charge", "payment", "payment_failure_refund", "payment_refund", "payout", "refund",
                     "refund_failure", "stripe_fee")
        ),
    }
)  # fmt: skip
PAYOUT_LIST = Group(
    {
        **PAGED,
        "created": Span(),
        "arrival_date": Span(),
        "status": Text(choices=("pending", "paid", "failed", "canceled")),
    }
)
EVENT_LIST = Group(
    {
        **PAGED,
        "created": Span(),
        "delivery_success": Flag(),
        "type": Text(100),
        "types": Many(Text(100), 20),
    }
)
