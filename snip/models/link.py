"""A tracked link, and the codes that lead to it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from jobs.clock import DatabaseNow

MAX_TARGET = 2000
"""Characters of an address. Longer ones are cut by some mail programs and in-app browsers."""

MAX_CODE = 32
"""Characters of a code. An event of a click carries it in its 120 bytes."""


class Link(models.Model):
    """One link: ``scanning → live | refused``, each ``⇄ blocked``, and ``deleted`` at the end.

    ``target`` is what its owner wants; ``served_target`` is what the redirect sends people to: the last target that the
    scanner passed, empty until it passed one. An edit of the target counts the version up and takes the state back to
    ``scanning``; until the new target has passed, and also if it is refused, the old one goes on being served: posters
    with the code hang in the street. So the redirect serves ``served_target`` unless it is empty (404), the link is
    blocked or deleted, its code retired or its expiry over (410). Changed by ``snip/links/transitions.py`` alone.
    """

    class State(models.TextChoices):
        SCANNING = "scanning", pgettext_lazy("link", "being checked")
        LIVE = "live", pgettext_lazy("link", "live")
        REFUSED = "refused", pgettext_lazy("link", "refused")
        BLOCKED = "blocked", pgettext_lazy("link", "blocked")
        DELETED = "deleted", pgettext_lazy("link", "deleted")

    target = models.URLField(_("target"), max_length=MAX_TARGET)
    served_target = models.TextField(_("target that is served"), blank=True, db_default="", editable=False)
    state = models.CharField(
        _("state"), max_length=20, choices=State.choices, db_default=State.SCANNING, editable=False
    )
    # Why the scanner refused the target, in words for the owner; empty in every other state.
    refusal = models.CharField(_("why it was refused"), max_length=300, blank=True, db_default="", editable=False)
    # Counts every change. Whoever decides about one version writes nothing once there is a newer one.
    version = models.PositiveIntegerField(_("version"), db_default=1, editable=False)
    label = models.CharField(
        _("name"), max_length=100, blank=True, db_default="", help_text=_("Where it will stand: “Poster, Mitte”.")
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+", verbose_name=_("owner")
    )
    # A plain id: the link outlives a draft that is deleted.
    show_id = models.BigIntegerField(_("show"), null=True)
    expires_at = models.DateTimeField(_("expires"), null=True)
    # Drawn by the page that asked for the link, and the link's place in what was asked for: however often the page's
    # button is pressed, it is made once.
    form_number = models.UUIDField(null=True, editable=False)
    form_place = models.PositiveSmallIntegerField(db_default=0, editable=False)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)

    class Meta:
        verbose_name = _("link")
        verbose_name_plural = _("links")
        default_permissions = ("view", "add", "change", "delete")
        permissions = [
            ("block_link", "Can block links and let them live again"),
            ("view_all_links", "Can see the links of everybody"),
        ]
        constraints = [
            models.CheckConstraint(
                name="link_state_is_known",
                condition=Q(state__in=("scanning", "live", "refused", "blocked", "deleted")),
            ),
            models.CheckConstraint(
                name="link_live_serves_its_target", condition=~Q(state="live") | Q(served_target=F("target"))
            ),
            models.CheckConstraint(name="link_refused_says_why", condition=~Q(state="refused") | ~Q(refusal="")),
            models.UniqueConstraint(
                fields=["form_number", "form_place"], condition=Q(form_number__isnull=False), name="link_once_by_form"
            ),
        ]
        indexes = [
            models.Index(fields=["owner", "-id"], name="link_by_owner"),
            models.Index(fields=["show_id"], name="link_by_show"),
        ]

    def __str__(self) -> str:
        return self.label or self.target

    @property
    def subject(self) -> str:
        """What jobs about this link carry, and the key that keeps them in order."""
        return subject_of(link_id=self.pk)


class LinkCode(models.Model):
    """A code, drawn or chosen (an alias). Lower case: whoever looks one up folds what was typed.

    A row is never deleted, so that no code comes to mean something else; a code that leads nowhere any more is retired.
    """

    code = models.CharField(_("code"), max_length=MAX_CODE, primary_key=True)
    link = models.ForeignKey(Link, on_delete=models.PROTECT, related_name="codes", verbose_name=_("link"))
    # Chosen by somebody, not drawn.
    is_alias = models.BooleanField(_("alias"), db_default=False)
    created_at = models.DateTimeField(_("created"), db_default=DatabaseNow(), editable=False)
    retired_at = models.DateTimeField(_("retired"), null=True, editable=False)

    class Meta:
        verbose_name = _("code of a link")
        verbose_name_plural = _("codes of links")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="link_code_is_of_an_address",
                condition=Q(code__regex=r"^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"),
            ),
            # A link has one drawn code, which is its name for good.
            models.UniqueConstraint(fields=["link"], condition=Q(is_alias=False), name="link_has_one_drawn_code"),
        ]

    def __str__(self) -> str:
        return self.code


def subject_of(*, link_id: int) -> str:
    """The subject and ordering key of all jobs about the link with this id: ``link:<id>``."""
    return f"link:{link_id}"
