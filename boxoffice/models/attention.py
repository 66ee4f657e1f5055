"""What a human must look at: who has taken it, what he did, and what fans ask us to look at."""

from __future__ import annotations

from uuid import uuid4

from django.db import models
from django.db.models import Func, Q, Value
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from boxoffice.models.order import Order
from jobs.clock import DatabaseNow

LONGEST_KEY = 400
"""Characters: a task's name and a cause."""

LONGEST_TEXT = 4_000
"""Characters of what somebody writes to us."""


class Attention(models.Model):
    """Who has taken an item, or that somebody has settled it. Items themselves are read from what is wrong.

    ``(none) → taken ⇄ (none)``, and either → settled. Changed by ``boxoffice/attention/transitions.py`` only. A row
    counts for the cause that was there when it was written: see ``boxoffice/attention/find_items.py``.
    """

    kind = models.CharField(_("kind"), max_length=20)
    key = models.CharField(_("key"), max_length=LONGEST_KEY)
    owner = models.CharField(_("taken by"), max_length=150, blank=True)
    taken_at = models.DateTimeField(_("taken"), null=True, blank=True)
    settled_by = models.CharField(_("settled by"), max_length=150, blank=True)
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    reason = models.CharField(_("reason"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("item that needs attention")
        verbose_name_plural = _("needs attention")
        default_permissions = ("view",)
        permissions = [("take_attention", "Can take what needs attention, give it back and settle it")]
        constraints = [
            models.UniqueConstraint(fields=["kind", "key"], name="attention_once"),
            models.CheckConstraint(
                name="attention_taken_has_its_instant", condition=Q(owner="") | Q(taken_at__isnull=False)
            ),
            models.CheckConstraint(
                name="attention_settled_says_who_and_why",
                condition=Q(settled_at__isnull=True) | ~Q(settled_by="") & ~Q(reason=""),
            ),
        ]
        indexes = [
            models.Index(
                fields=["-settled_at"], condition=Q(settled_at__isnull=False), name="attention_settled_newest_first"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class AttentionAction(models.Model):
    """Who took an item, gave it back or settled it, and when. Rows are only ever added."""

    class Action(models.TextChoices):
        TAKE = "take", pgettext_lazy("attention", "taken")
        GIVE_BACK = "give back", pgettext_lazy("attention", "given back")
        SETTLE = "settle", pgettext_lazy("attention", "settled")

    kind = models.CharField(_("kind"), max_length=20)
    key = models.CharField(_("key"), max_length=LONGEST_KEY)
    action = models.CharField(_("action"), max_length=20, choices=Action.choices)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=300, blank=True)
    at = models.DateTimeField(_("at"), db_default=DatabaseNow())

    class Meta:
        verbose_name = _("change of what needs attention")
        verbose_name_plural = _("changes of what needs attention")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                name="attention_action_is_known", condition=Q(action__in=("take", "give back", "settle"))
            ),
            models.CheckConstraint(
                name="attention_action_says_who_and_why", condition=~Q(by="") & (~Q(reason="") | ~Q(action="settle"))
            ),
        ]
        indexes = [models.Index(fields=["kind", "key", "id"], name="attention_action_by_item")]

    def __str__(self) -> str:
        return f"{self.action} {self.kind} {self.key}"


class AskedAttention(models.Model):
    """Something that somebody asks us to look at, in words: a message from a fan. It is open until it is settled."""

    # Drawn by the page that asks: the form sent twice is one message.
    number = models.UUIDField(_("number"), default=uuid4, unique=True, editable=False)
    # The order that it is about, where it is about one. Its fan may write from another address.
    order = models.ForeignKey(
        Order, on_delete=models.PROTECT, related_name="+", null=True, blank=True, verbose_name=_("order")
    )
    title = models.CharField(_("title"), max_length=200)
    text = models.CharField(_("text"), max_length=LONGEST_TEXT)
    name = models.CharField(_("name"), max_length=200, blank=True)
    email = models.CharField(_("e-mail"), max_length=254, blank=True)
    language = models.CharField(_("language"), max_length=16, blank=True)
    asked_at = models.DateTimeField(_("asked"), db_default=DatabaseNow())
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("message to the box office")
        verbose_name_plural = _("messages to the box office")
        default_permissions = ("view",)
        constraints = [models.CheckConstraint(name="asked_attention_says_what", condition=~Q(title="") & ~Q(text=""))]
        indexes = [
            models.Index(fields=["asked_at"], condition=Q(settled_at__isnull=True), name="asked_attention_open"),
            # How often a mailbox wrote: see ``self_help.write_to_us``.
            models.Index(
                Func(Lower("email"), Value(r"\+[^@]*@"), Value("@"), function="regexp_replace"),
                name="asked_attention_by_mailbox",
            ),
        ]

    def __str__(self) -> str:
        return self.title
