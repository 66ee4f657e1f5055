"""Files of orders, attendees and takings that somebody asked for, and who asked and fetched."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow


class Export(models.Model):
    """One file: ``planned → running → done | failed``, and failed → planned when the job that writes it is replayed.

    Changed by ``boxoffice/exports/transitions.py`` alone. The rows hold no fan's data; the file does.
    """

    class Kind(models.TextChoices):
        ORDERS = "orders", _("Orders")
        ATTENDEES = "attendees", _("Attendees")
        TAKINGS = "takings", _("Takings")

    class State(models.TextChoices):
        PLANNED = "planned", pgettext_lazy("export", "planned")
        RUNNING = "running", pgettext_lazy("export", "being written")
        DONE = "done", pgettext_lazy("export", "ready")
        FAILED = "failed", pgettext_lazy("export", "failed")

    # Drawn by the page that asks: however often its button is pressed, one file is written.
    number = models.UUIDField(unique=True, editable=False)
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    state = models.CharField(_("state"), max_length=20, choices=State.choices, db_default=State.PLANNED)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("login")
    )
    # A name, since the row outlives the login.
    by = models.CharField(_("by"), max_length=150)
    language = models.CharField(_("language"), max_length=16)
    # A plain id: a show that is gone leaves an export of nothing, not one of all shows.
    show_id = models.BigIntegerField(_("show"), null=True)
    show_title = models.CharField(_("show"), max_length=200, blank=True)
    # The same of a venue, where all its shows are meant.
    venue_id = models.BigIntegerField(_("venue"), null=True)
    venue_name = models.CharField(_("venue"), max_length=200, blank=True, db_default="")
    # Both days are meant, at each show's venue; none where a show was chosen with all its days.
    first = models.DateField(_("first day"), null=True)
    last = models.DateField(_("last day"), null=True)
    # The shows whose rows are in the file, as its login might have them when it was written; none means all.
    of_shows = ArrayField(models.BigIntegerField(), verbose_name=_("of the shows"), null=True)
    rows_done = models.PositiveIntegerField(_("rows written"), db_default=0)
    rows_about = models.PositiveIntegerField(_("rows, about"), null=True)
    storage_name = models.CharField(_("name in the storage"), max_length=200, blank=True, db_default="")
    size = models.PositiveBigIntegerField(_("size"), null=True, help_text=_("In bytes."))
    problem = models.CharField(_("why it failed"), max_length=300, blank=True, db_default="")
    asked_at = models.DateTimeField(_("asked for"), db_default=DatabaseNow())
    ended_at = models.DateTimeField(_("ended"), null=True)
    erase_at = models.DateTimeField(_("is erased"), null=True)
    erased_at = models.DateTimeField(_("erased"), null=True)

    class Meta:
        verbose_name = _("export")
        verbose_name_plural = _("exports")
        default_permissions = ("view",)
        permissions = [
            ("export_orders", "Can export orders"),
            ("export_attendees", "Can export attendees"),
            ("export_takings", "Can export takings"),
        ]
        constraints = [
            models.CheckConstraint(
                name="export_kind_is_known", condition=Q(kind__in=("orders", "attendees", "takings"))
            ),
            models.CheckConstraint(
                name="export_state_is_known", condition=Q(state__in=("planned", "running", "done", "failed"))
            ),
            models.CheckConstraint(
                name="export_ended_has_its_instant",
                condition=Q(state__in=("planned", "running"), ended_at__isnull=True)
                | Q(state__in=("done", "failed"), ended_at__isnull=False),
            ),
            models.CheckConstraint(
                name="export_done_has_a_file_that_goes",
                condition=~Q(state="done")
                | ~Q(storage_name="") & Q(size__isnull=False, rows_about__isnull=False, erase_at__isnull=False),
            ),
            models.CheckConstraint(
                name="export_is_of_a_show_or_a_period",
                condition=Q(show_id__isnull=False) | Q(first__isnull=False, last__isnull=False),
            ),
        ]
        indexes = [models.Index(fields=["user", "-id"], name="export_by_user")]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"

    @property
    def subject(self) -> str:
        """What its job and its mail name as their subject."""
        return f"export:{self.pk}"


class ExportAction(models.Model):
    """Who asked for which file, and who fetched it: an audit trail. Rows are only ever added."""

    class Action(models.TextChoices):
        ASK = "ask", _("export asked for")
        FETCH = "fetch", _("export downloaded")

    # A plain id: the trail outlives the export.
    export_id = models.BigIntegerField(_("export"))
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    # The kind and the filter, in words that say nothing of any fan.
    what = models.CharField(_("what"), max_length=300)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("export action")
        verbose_name_plural = _("export actions")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(name="export_action_is_known", condition=Q(action__in=("ask", "fetch"))),
            models.CheckConstraint(name="export_action_says_who_and_what", condition=~Q(by="") & ~Q(what="")),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.export_id}"
