"""What the archiver has done: how far it has read each stream, the objects that it stored, and the clicks by day."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from snip.models.link import MAX_CODE


class ArchiveProgress(models.Model):
    """How far one stream is rolled up and stored. Each column moves in the transaction of what it tells of."""

    stream = models.CharField(_("stream"), max_length=64, primary_key=True)
    # The id of the last entry that is in the roll-up: milliseconds and number, as Redis gives them.
    milliseconds = models.BigIntegerField(_("milliseconds"), db_default=0)
    number = models.BigIntegerField(_("number"), db_default=0)
    # Every click that was in the log then is in the roll-up.
    complete_until = models.DateTimeField(_("complete until"), null=True)
    # Hours before it are in the storage. None until the first one is.
    stored_until = models.DateTimeField(_("stored until"), null=True)

    class Meta:
        verbose_name = _("progress of the archiver")
        verbose_name_plural = _("progress of the archiver")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.stream} {self.milliseconds}-{self.number}"


class ClickArchive(models.Model):
    """An object in the storage: the clicks of one stream in one hour. Its name is made of both, and of nothing else."""

    name = models.CharField(_("name"), max_length=100, primary_key=True)
    stream = models.CharField(_("stream"), max_length=64)
    hour = models.DateTimeField(_("hour"), help_text=_("In which the log took the clicks, in UTC."))
    clicks = models.BigIntegerField(_("clicks"))
    size = models.BigIntegerField(_("size"), help_text=_("In bytes, compressed."))
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    stored_at = models.DateTimeField(_("stored"))

    class Meta:
        verbose_name = _("archived hour of clicks")
        verbose_name_plural = _("archived hours of clicks")
        default_permissions = ()
        indexes = [models.Index(fields=["hour"], name="click_archive_by_hour")]

    def __str__(self) -> str:
        return self.name


class ClickDay(models.Model):
    """Clicks by code and day (UTC), three times over: by hour, by country and by referrer.

    Three sums and not all combinations: a code has at most 24, 250 and ``MOST_VALUES`` rows a day, times two for bots.
    """

    class By(models.IntegerChoices):
        HOUR = 1, pgettext_lazy("clicks by", "hour")
        COUNTRY = 2, pgettext_lazy("clicks by", "country")
        REFERRER = 3, pgettext_lazy("clicks by", "referrer")

    # A number of its own: the admin, whose page it names, takes no primary key of several columns.
    code = models.CharField(_("code"), max_length=MAX_CODE)
    day = models.DateField(_("day"), help_text=_("In UTC."))
    by = models.SmallIntegerField(_("by"), choices=By.choices)
    # An hour from 00 to 23, two letters, or a host; empty where it is not known.
    value = models.CharField(_("value"), max_length=100)
    is_bot = models.BooleanField(_("by bots"))
    clicks = models.BigIntegerField(_("clicks"))

    class Meta:
        verbose_name = _("clicks of a day")
        verbose_name_plural = _("clicks")
        default_permissions = ("view",)
        permissions = [("view_all_clicks", "Can see the clicks on everybody's links")]
        constraints = [
            models.UniqueConstraint(fields=["code", "day", "by", "value", "is_bot"], name="click_day_once"),
            models.CheckConstraint(name="click_day_by_is_known", condition=models.Q(by__in=(1, 2, 3))),
        ]
        # For the page of all links; that of some finds them by click_day_once.
        indexes = [models.Index(fields=["day"], name="click_day_by_day")]

    def __str__(self) -> str:
        return f"{self.code} {self.day} {self.value}: {self.clicks}"
