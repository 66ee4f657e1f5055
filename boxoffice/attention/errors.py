"""Why an item could not be taken, given back or settled."""

from __future__ import annotations

from django.utils.translation import gettext as _

from jobs.errors import JobsError


class AttentionError(JobsError):
    """Nothing was changed."""


class ItemGone(AttentionError):
    """Its cause is gone, or somebody has settled it."""

    def __init__(self) -> None:
        super().__init__(_("This is settled already: its cause is gone, or somebody was first."))


class ItemTaken(AttentionError):
    """Somebody else has it."""

    def __init__(self, *, by: str = "") -> None:
        words = _("%(who)s has taken this. Look at the list again.") if by else _("Somebody else has just taken this.")
        super().__init__(words % {"who": by} if by else words)


class NotYours(AttentionError):
    """Only the owner gives it back."""

    def __init__(self) -> None:
        super().__init__(_("You have not taken this, so you cannot give it back."))


class MendTheCause(AttentionError):
    """It goes when its cause is mended, and not before."""

    def __init__(self) -> None:
        super().__init__(_("This goes away when its cause is mended, and not before."))
