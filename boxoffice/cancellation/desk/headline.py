"""How the cancellation of a show stands, in a sentence or two."""

from __future__ import annotations

from django.db.models import Q
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.cancellation.read_progress import Progress
from boxoffice.models import Cancellation, Payment, Refund

Phase = Cancellation.Phase


def headline(progress: Progress) -> str:
    """How it stands, in a sentence."""
    cancellation = progress.cancellation
    if cancellation.phase == Phase.CLOSED:
        return _("The accounting is closed: all that was paid was given back, taken by the bank or written off.")
    if cancellation.phase in (Phase.REFUNDING, Phase.TELLING):
        return _("Refunds and mails are being planned.")
    if progress.to_send.count and cancellation.pause == Cancellation.Pause.BALANCE:
        return _("Refunds wait: the balance at the payment provider is too low.")
    if progress.to_send.count:
        return _("Refunds are being sent.") if not progress.is_paused else _("Refunds wait: they are paused.")
    if progress.failed.count or progress.by_hand.count:
        return _("All refunds were sent. What is left needs somebody: see below.")
    if progress.under_way.count:
        return _("All refunds were sent, and the payment provider is paying them out.")
    what = _what_became_of_it(progress)
    if cancellation.phase == Phase.WAITING:
        return f"{what} {_('The accounting is closed when the week is over.')}"
    return f"{what} {_('The accounting is to be closed.')}"


def _what_became_of_it(progress: Progress) -> str:
    """Where no refund is to be sent, under way, failed or to be paid out by hand: whether that is because all money was
    given back.
    """
    accounts = progress.accounts
    if accounts is None:
        return _("All refunds were sent.")
    if any(account.left or account.under_way for account in accounts.accounts):
        return _("What is left needs somebody: see below.")
    if accounts.open_disputes:
        disputes = ngettext(
            "The bank has yet to decide about %(n)s dispute; the rest was given back or written off.",
            "The bank has yet to decide about %(n)s disputes; the rest was given back or written off.",
            accounts.open_disputes,
        )
        return disputes % {"n": number_format(accounts.open_disputes, use_l10n=True, force_grouping=True)}
    if any(account.bank or account.written_off for account in accounts.accounts):
        return _("All money was given back but what the bank has or what was written off: see below.")
    if not any(account.paid for account in accounts.accounts):
        return _("Nothing was paid, so nothing is to be given back.")
    return _("All money was given back.")


def phase_in_words(cancellation: Cancellation) -> str:
    """The phase, for a page that has no figures. While the week runs the last refund has left long ago, or has not. One
    query then.
    """
    if cancellation.phase != Phase.WAITING:
        return str(cancellation.get_phase_display())
    moves = Q(status=Refund.Status.PENDING) | Q(status=Refund.Status.PLANNED, payment__method=Payment.Method.ONLINE)
    if cancellation.refunds.filter(moves).exists():
        return str(cancellation.get_phase_display())
    return _("its refunds were sent; the accounting is closed when the week is over")
