"""Tickets know nothing of the layers above them."""

from __future__ import annotations

from django.apps import apps

KNOWN = {"tickets", "inventory"}  # themselves, and the layer below


def test_nothing_of_the_tickets_points_above_them_and_their_order_is_a_plain_number() -> None:
    models = list(apps.get_app_config("tickets").get_models())
    assert models
    for model in models:
        # What points to a ticket may come from above: those are the relations that Django made by itself.
        related = {
            field.related_model._meta.app_label
            for field in model._meta.get_fields()
            if field.related_model and not field.auto_created
        }
        assert related <= KNOWN, model
