"""What the counter has counted, and which clicks it has seen."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from snip.models.link import MAX_CODE


class ProcessedClick(models.Model):
    """A click that is in the counts, by its id: whoever brings it again adds nothing.

    The table is partitioned by ranges of the id, one for each hour, and Django has no part in making them:
    ``snip/counter/partitions.py``.
    """

    id = models.UUIDField(_("click"), primary_key=True, editable=False)

    class Meta:
        verbose_name = _("click that was counted")
        verbose_name_plural = _("clicks that were counted")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.id)


class ClickCount(models.Model):
    """How often a code was followed within one hour, by the clock of the machines that saw it.

    The hour comes first in the key: what is written now, and what is erased, lies together in the index.
    """

    pk = models.CompositePrimaryKey("hour", "code")
    code = models.CharField(_("code"), max_length=MAX_CODE)
    hour = models.DateTimeField(_("hour"), help_text=_("When the hour began, in UTC."))
    clicks = models.BigIntegerField(_("clicks"), db_default=0, help_text=_("Of people, as far as one can tell."))
    bots = models.BigIntegerField(_("bots"), db_default=0, help_text=_("Of crawlers, and of previews in chats."))

    class Meta:
        verbose_name = _("clicks of an hour")
        verbose_name_plural = _("clicks of hours")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.code} {self.hour:%Y-%m-%d %H}: {self.clicks}"


class UncountedClicks(models.Model):
    """How many clicks came on one day whose time lies where nothing is counted any more, or not yet.

    Who brings one of them again is counted again: nobody remembers their ids.
    """

    class Why(models.TextChoices):
        LATE = "late", pgettext_lazy("click", "late")
        EARLY = "early", pgettext_lazy("click", "ahead of time")

    pk = models.CompositePrimaryKey("day", "why")
    day = models.DateField(_("day"), help_text=_("When they came, in UTC."))
    why = models.TextField(_("why"), choices=Why)
    clicks = models.BigIntegerField(_("clicks"), db_default=0)

    class Meta:
        verbose_name = _("clicks that were not counted")
        verbose_name_plural = _("clicks that were not counted")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(name="uncounted_clicks_why_is_known", condition=models.Q(why__in=("late", "early")))
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.why}: {self.clicks}"
