"""A Checkout Session and its line items as the API shows them (Stripe API reference, "The Checkout Session object")."""

from __future__ import annotations

from typing import Any

from sandbox.stripe.ids import new_id
from sandbox.stripe.state import Body


def session_object(parameters: dict[str, Any], *, now: int, expires_at: int, page: str, line_items: list[Body]) -> Body:
    """A new open session. Its payment page is at ``page`` followed by its id."""
    id = new_id("cs_test_a1", 56)
    total = sum(item["amount_total"] for item in line_items)
    payment_intent_data = parameters.get("payment_intent_data", {})
    return {
        "id": id,
        "object": "checkout.session",
        "adaptive_pricing": {"enabled": False},
        "after_expiration": None,
        "allow_promotion_codes": None,
        "allowed_payment_method_types": None,
        "amount_subtotal": total,
        "amount_total": total,
        "automatic_tax": {"enabled": False, "liability": None, "provider": None, "status": None},
        "billing_address_collection": parameters.get("billing_address_collection"),
        "branding_settings": None,
        "cancel_url": parameters.get("cancel_url"),
        "client_reference_id": parameters.get("client_reference_id"),
        "client_secret": None,
        "collected_information": None,
        "consent": None,
        "consent_collection": None,
        "created": now,
        "currency": line_items[0]["currency"],
        "currency_conversion": None,
        "custom_fields": [],
        "custom_text": {
            "after_submit": None,
            "shipping_address": None,
            "submit": None,
            "terms_of_service_acceptance": None,
        },
        "customer": None,
        "customer_account": None,
        "customer_creation": parameters.get("customer_creation", "if_required"),
        "customer_details": _customer(parameters["customer_email"]) if "customer_email" in parameters else None,
        "customer_email": parameters.get("customer_email"),
        "discounts": [],
        "excluded_payment_method_types": None,
        "expires_at": expires_at,
        "integration_identifier": parameters.get("integration_identifier"),
        "invoice": None,
        "invoice_creation": None,
        "livemode": False,
        "locale": parameters.get("locale"),
        "managed_payments": None,
        "metadata": parameters.get("metadata", {}),
        "mode": "payment",
        "name_collection": None,
        "optional_items": None,
        "origin_context": None,
        "payment_intent": None,  # made when somebody pays
        "payment_link": None,
        "payment_method_collection": "if_required",
        "payment_method_configuration_details": None,
        "payment_method_options": {"card": {"request_three_d_secure": "automatic"}},
        "payment_method_types": parameters.get("payment_method_types", ["card"]),
        "payment_status": "unpaid",
        "permissions": None,
        "phone_number_collection": {"enabled": False},
        "presentment_details": None,
        "recovered_from": None,
        "redirect_on_completion": None,
        "return_url": None,
        "saved_payment_method_options": None,
        "setup_intent": None,
        "shipping_address_collection": None,
        "shipping_cost": None,
        "shipping_options": [],
        "status": "open",
        "submit_type": parameters.get("submit_type"),
        "subscription": None,
        "success_url": parameters.get("success_url"),
        "tax_id_collection": {"enabled": False, "required": "never"},
        "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
        "ui_mode": "hosted_page",
        "url": page + id,
        "wallet_options": None,
        "_line_items": line_items,
        "_payment_intent_data": payment_intent_data,
    }


def _customer(email: str) -> dict[str, Any]:
    return {
        "address": None,
        "business_name": None,
        "email": email,
        "individual_name": None,
        "name": None,
        "phone": None,
        "tax_exempt": "none",
        "tax_ids": None,
    }


def with_customer(session: Body, *, email: str, name: str) -> Body:
    """The session after somebody filled in the payment page."""
    details = {**_customer(email), "name": name, "individual_name": name, "tax_ids": []}
    return {**session, "customer_details": details}


def line_item_object(item: dict[str, Any], *, now: int) -> Body:
    """A line item, with the price and the product that were made for it alone."""
    price, product = item["price_data"], item["price_data"]["product_data"]
    total = price["unit_amount"] * item["quantity"]
    return {
        "id": new_id("li_1"),
        "object": "item",
        "adjustable_quantity": None,
        "amount_discount": 0,
        "amount_subtotal": total,
        "amount_tax": 0,
        "amount_total": total,
        "currency": price["currency"],
        "description": product["name"],
        "discounts": [],
        "metadata": item.get("metadata", {}),
        "price": {
            "id": new_id("price_1"),
            "object": "price",
            "active": False,
            "billing_scheme": "per_unit",
            "created": now,
            "currency": price["currency"],
            "currency_options": None,
            "custom_unit_amount": None,
            "livemode": False,
            "lookup_key": None,
            "metadata": {},
            "nickname": None,
            "product": new_id("prod_", 14),
            "recurring": None,
            "tax_behavior": price.get("tax_behavior", "unspecified"),
            "tiers": None,
            "tiers_mode": None,
            "transform_quantity": None,
            "type": "one_time",
            "unit_amount": price["unit_amount"],
            "unit_amount_decimal": str(price["unit_amount"]),
        },
        "quantity": item["quantity"],
        "taxes": [],
        "_about": product.get("description", ""),
    }
