"""What a show is found by."""

from __future__ import annotations

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _

from inventory.models.show import Show


class ShowText(models.Model):
    """The words of a show and of its venue, folded. Written by triggers of the two tables, whoever changes them.

    Folded: compatible forms, accents and capitals are made alike (SQL function ``inventory_folded``). A generated
    column could not read the venue's row, and on the show's row it would travel with every query of a show.
    """

    show = models.OneToOneField(
        Show, on_delete=models.CASCADE, primary_key=True, related_name="text", verbose_name=_("show")
    )
    # Title, subtitle, venue and city: what people misspell, and where parts of words count.
    names = models.TextField(_("names"))
    # The same and the description, for whole words; a title weighs more than a description.
    document = SearchVectorField(_("document"))

    class Meta:
        verbose_name = _("search text")
        verbose_name_plural = _("search texts")
        indexes = [
            GinIndex(fields=["document"], name="show_text_by_word"),
            GinIndex(fields=["names"], name="show_text_by_trigram", opclasses=["gin_trgm_ops"]),
        ]

    def __str__(self) -> str:
        return self.names
