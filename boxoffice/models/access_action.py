"""What was done about the logins of those who work here."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from jobs.clock import DatabaseNow


class AccessAction(models.Model):
    """Who changed how a login proves itself, or what the audit trails keep, when, and why. Rows are only ever added."""

    class Action(models.TextChoices):
        SET_UP = "set up", _("second factor set up")
        CODES = "codes", _("recovery codes drawn anew")
        CODE_USED = "code used", _("logged in by a recovery code")
        RESET = "reset", _("second factor reset")
        LIFT = "lift", _("lockout lifted")
        ERASE = "erase", _("old entries of the audit trails erased")

    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    # Whose login; empty where it is about none. A name, since the entry outlives the login.
    login = models.CharField(_("login"), max_length=150, blank=True)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("change of a login")
        verbose_name_plural = _("changes of logins")
        # Rights that belong to no other table are named here.
        permissions = [
            ("view_personal_data", "Can see the names and addresses of fans in full"),
            ("reset_second_factor", "Can reset the second factor of a login"),
            ("lift_lockout", "Can lift the lockout of a login"),
        ]
        constraints = [
            models.CheckConstraint(
                name="access_action_is_known",
                condition=Q(action__in=("set up", "codes", "code used", "reset", "lift", "erase")),
            ),
            # What somebody does to his own login needs no reason.
            models.CheckConstraint(
                name="access_action_says_who_and_why",
                condition=~Q(by="") & (~Q(reason="") | Q(action__in=("set up", "codes", "code used"))),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.login}"


class AuditTrail(AccessAction):
    """All audit trails together, as one page of the admin. See ``boxoffice/audit/``."""

    class Meta:
        proxy = True
        default_permissions = ("view",)
        verbose_name = _("audit trail")
        verbose_name_plural = _("who did what")
