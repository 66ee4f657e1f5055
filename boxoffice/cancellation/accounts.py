"""The accounting of a cancelled show: what was paid for it against what went back, read from the rows themselves.

See Note [What is owed]. ``paid = given back + with the bank + written off + under way + left``, exactly, and in each
currency; it closes when nothing is under way or left, and nothing can come any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from boxoffice.cancellation.owed import DISPUTED
from boxoffice.disputes.standing import OPEN
from inventory.money import Money

# By currency. A failed attempt counts as under way while nobody knows what became of it. What the bank has is all that
# is left of a payment that is disputed. By order_by_show and the foreign keys' indexes.
ACCOUNTS = f"""
    WITH money AS (
        SELECT payment.id, payment.currency, payment.amount, {DISPUTED} AS disputed,
               coalesce(back.given_back, 0) AS given_back, coalesce(back.under_way, 0) AS under_way,
               coalesce(back.planned, 0) AS planned, payment.method <> 'online' AS is_by_hand,
               coalesce(off.amount, 0) AS written_off
          FROM boxoffice_order AS o
          JOIN boxoffice_payment AS payment ON payment.order_id = o.id AND payment.status = 'succeeded'
          LEFT JOIN LATERAL (
              SELECT sum(refund.amount) FILTER (WHERE refund.status = 'succeeded') AS given_back,
                     sum(refund.amount) FILTER (WHERE refund.status = 'planned') AS planned,
                     sum(refund.amount) FILTER (WHERE refund.status IN ('planned', 'pending')
                                                OR refund.status = 'failed' AND refund.failure = 'unanswered'
                                                   AND later.id IS NULL) AS under_way
                FROM boxoffice_refund AS refund LEFT JOIN boxoffice_refund AS later ON later.replaces_id = refund.id
               WHERE refund.payment_id = payment.id) AS back ON true
          LEFT JOIN boxoffice_writeoff AS off ON off.payment_id = payment.id
         WHERE o.show_id = %(show_id)s
    )
    SELECT currency, sum(amount)::bigint, sum(given_back)::bigint,
           sum(CASE WHEN disputed THEN amount - given_back - under_way - written_off ELSE 0 END)::bigint,
           sum(written_off)::bigint, sum(under_way)::bigint,
           sum(CASE WHEN disputed THEN 0 ELSE amount - given_back - under_way - written_off END)::bigint,
           coalesce(sum(planned) FILTER (WHERE NOT is_by_hand), 0)::bigint,
           coalesce(sum(planned) FILTER (WHERE is_by_hand), 0)::bigint
      FROM money GROUP BY currency ORDER BY currency
"""  # noqa: S608 - constants

# What may still bring or take money. By order_by_show, payment_one_open_per_order and the foreign keys' indexes.
STILL_OPEN = f"""
    SELECT (SELECT count(*) FROM boxoffice_payment AS payment JOIN boxoffice_order AS o ON o.id = payment.order_id
             WHERE o.show_id = %(show_id)s AND payment.status IN ('created', 'pending')),
           (SELECT count(*) FROM boxoffice_dispute AS dispute
              JOIN boxoffice_payment AS payment ON payment.id = dispute.payment_id
              JOIN boxoffice_order AS o ON o.id = payment.order_id
             WHERE o.show_id = %(show_id)s AND dispute.status IN ({", ".join(f"'{status}'" for status in OPEN)}))
"""  # noqa: S608 - constants


@dataclass(frozen=True)
class Account:
    """One currency, in its minor unit.

    given_back: refunds that have left. bank: what the bank took by a dispute that is open or lost. under_way: planned,
    taken on by the provider, or sent without an answer; of it ``to_send`` has not gone out yet, and ``by_hand`` is for
    somebody to pay out. left: what nobody has planned, or was refused.
    """

    currency: str
    paid: int
    given_back: int
    bank: int
    written_off: int
    under_way: int
    left: int
    to_send: int = 0
    by_hand: int = 0

    @property
    def matches(self) -> bool:
        """Payments = refunds + what the bank took + written off, exactly."""
        return self.under_way == 0 and self.left == 0 and self.paid == self.given_back + self.bank + self.written_off

    def money(self, amount: int) -> Money:
        """One of its sums with the currency."""
        return Money(amount, self.currency)

    def not_back_yet(self) -> list[str]:
        """What is under way by who is to do something about it, in sentences of the active language."""
        sums = (
            (self.to_send, _("%(sum)s are still to be sent.")),
            (self.under_way - self.to_send - self.by_hand, _("%(sum)s are on their way back.")),
            (self.by_hand, _("%(sum)s are to be paid out by hand.")),
        )
        return [words % {"sum": self.money(amount)} for amount, words in sums if amount]


@dataclass(frozen=True)
class Accounts:
    """All currencies of a show, and what may still change them: payment pages and disputes that are open."""

    accounts: Sequence[Account]
    open_payments: int
    open_disputes: int

    @property
    def match(self) -> bool:
        """Whether the accounting can be closed."""
        return not self.open_payments and not self.open_disputes and all(account.matches for account in self.accounts)

    def reasons(self) -> list[str]:
        """Why it cannot, in words of the active language; empty where it can."""
        words = []
        for account in self.accounts:
            words += account.not_back_yet()
            if account.left > 0:
                words.append(
                    _("%(sum)s could not be given back: try again, or write it off.")
                    % {"sum": account.money(account.left)}
                )
            if account.left < 0:
                words.append(
                    _("%(sum)s more were given back or written off than were paid.")
                    % {"sum": account.money(-account.left)}
                )
        if self.open_payments:
            open_pages = ngettext("%(n)d payment is open.", "%(n)d payments are open.", self.open_payments)
            words.append(open_pages % {"n": self.open_payments})
        if self.open_disputes:
            disputes = ngettext("%(n)d dispute is open.", "%(n)d disputes are open.", self.open_disputes)
            words.append(disputes % {"n": self.open_disputes})
        return words


def read_accounts(*, show_id: int) -> Accounts:
    """How the money of a show stands. Two queries, over all of its orders."""
    with connection.cursor() as cursor:
        cursor.execute(ACCOUNTS, {"show_id": show_id})
        accounts = [Account(*row) for row in cursor.fetchall()]
        cursor.execute(STILL_OPEN, {"show_id": show_id})
        payments, disputes = cursor.fetchone()
    return Accounts(accounts=accounts, open_payments=payments, open_disputes=disputes)
