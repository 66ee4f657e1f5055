"""The roles of those who work here, and what each may do.

One row for each permission that a role has; whatever stands in no row is for superusers alone. Groups are made from it
(``boxoffice/roles/make_groups.py``). Somebody who is two things is in two groups, and a house that needs another mix
makes a group of its own: those are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

SUPPORT = "Support"
FINANCE = "Finance"
DOOR = "Door"
PROMOTER = "Promoter"
OPERATOR = "Operator"

ROLES = (SUPPORT, FINANCE, DOOR, PROMOTER, OPERATOR)

PURPOSES = {
    SUPPORT: "finds an order, understands it and mends it; makes shows and sells at the counter",
    FINANCE: "follows the money: orders, refunds, disputes, reconciliation, takings, exports",
    DOOR: "lets people in; sees no order and no address",
    PROMOTER: "sees the shows and how they sell, and makes links of his own; no fan's name or address",
    OPERATOR: "keeps the work flowing, and the logins; no fan's name or address",
}


@dataclass(frozen=True)
class Grant:
    """A permission, ``app.codename``, and the roles that have it."""

    permission: str
    roles: tuple[str, ...]


def _may(permission: str, *roles: str) -> Grant:
    return Grant(permission, roles)


GRANTS = (
    # Fans' names and addresses in full; others see initials.
    _may("boxoffice.view_personal_data", SUPPORT, FINANCE),
    # Orders
    _may("boxoffice.view_order", SUPPORT, FINANCE, OPERATOR),
    _may("boxoffice.refund_order", SUPPORT, FINANCE),
    _may("boxoffice.pay_out", FINANCE),
    _may("boxoffice.view_dispute", SUPPORT, FINANCE),
    # The books: whoever may settle findings may also refund by them only with refund_order
    _may("boxoffice.view_reconciliation", FINANCE),
    _may("boxoffice.view_finding", FINANCE),
    _may("boxoffice.reconcile", FINANCE),
    _may("boxoffice.correct_name", SUPPORT),
    _may("boxoffice.render_tickets", SUPPORT),
    _may("boxoffice.print_tickets", SUPPORT),
    _may("boxoffice.cancel_order", SUPPORT),
    _may("boxoffice.move_order", SUPPORT),
    _may("boxoffice.sell_order", SUPPORT),
    _may("boxoffice.give_tickets", SUPPORT),
    _may("boxoffice.view_ordernote", SUPPORT, FINANCE),
    _may("boxoffice.add_ordernote", SUPPORT, FINANCE),
    _may("notifications.view_notification", SUPPORT, OPERATOR),
    _may("notifications.add_messageaction", SUPPORT),
    _may("notifications.view_suppression", SUPPORT, OPERATOR),
    _may("notifications.lift_suppression", SUPPORT),
    _may("tickets.view_ticket", SUPPORT, OPERATOR),
    _may("tickets.scan_ticket", DOOR),
    # Takings: a promoter sees those of his own shows
    _may("boxoffice.view_takings", FINANCE, PROMOTER),
    _may("boxoffice.view_all_takings", FINANCE),
    # Clicks: a promoter sees those on his own links
    _may("snip.view_clickday", SUPPORT, FINANCE, PROMOTER, OPERATOR),
    _may("snip.view_all_clicks", SUPPORT, FINANCE, OPERATOR),
    # Exports: of fans only with view_personal_data as well; a promoter's takings are those of his own shows
    _may("boxoffice.view_export", SUPPORT, FINANCE, PROMOTER),
    _may("boxoffice.export_orders", FINANCE),
    _may("boxoffice.export_attendees", SUPPORT, FINANCE),
    _may("boxoffice.export_takings", FINANCE, PROMOTER),
    _may("boxoffice.view_promotion", SUPPORT, FINANCE, OPERATOR),
    _may("boxoffice.add_promotion", SUPPORT, OPERATOR),
    _may("boxoffice.delete_promotion", SUPPORT, OPERATOR),
    # What needs a human: each sees the kinds that he can mend (boxoffice/attention/kinds.py)
    _may("boxoffice.view_attention", SUPPORT, FINANCE, OPERATOR),
    _may("boxoffice.take_attention", SUPPORT, FINANCE, OPERATOR),
    _may("boxoffice.view_askedattention", SUPPORT, FINANCE),
    # Tracked links: a promoter sees and changes his own
    _may("snip.view_link", SUPPORT, FINANCE, PROMOTER, OPERATOR),
    _may("snip.view_all_links", SUPPORT, FINANCE, OPERATOR),
    _may("snip.add_link", SUPPORT, PROMOTER),
    _may("snip.change_link", SUPPORT, PROMOTER),
    _may("snip.delete_link", SUPPORT, PROMOTER),
    _may("snip.block_link", SUPPORT, OPERATOR),
    _may("snip.view_blockedsite", SUPPORT, OPERATOR),
    _may("snip.add_blockedsite", OPERATOR),
    _may("snip.delete_blockedsite", OPERATOR),
    # Shows and seats
    _may("inventory.view_venue", SUPPORT, FINANCE, PROMOTER, OPERATOR),
    _may("inventory.add_venue", SUPPORT),
    _may("inventory.change_venue", SUPPORT),
    _may("inventory.view_seatingplan", SUPPORT, PROMOTER, OPERATOR),
    _may("inventory.add_seatingplan", SUPPORT),
    _may("inventory.view_show", SUPPORT, FINANCE, PROMOTER, OPERATOR),
    _may("inventory.add_show", SUPPORT),
    _may("inventory.change_show", SUPPORT),
    _may("inventory.change_pricetier", SUPPORT),
    _may("inventory.view_pricetier", SUPPORT, FINANCE, PROMOTER),
    _may("inventory.delete_show", SUPPORT),
    _may("inventory.view_seat", SUPPORT, OPERATOR),
    _may("inventory.view_hold", SUPPORT, OPERATOR),
    _may("boxoffice.release_hold", SUPPORT),
    _may("boxoffice.extend_hold", SUPPORT),
    _may("boxoffice.block_seats", SUPPORT),
    _may("boxoffice.move_show", SUPPORT),
    # Cancelling gives everybody's money back; what cannot be given back is for the books
    _may("boxoffice.cancel_show", SUPPORT, FINANCE),
    _may("boxoffice.view_cancellation", SUPPORT, FINANCE, OPERATOR),
    _may("boxoffice.write_off", FINANCE),
    _may("boxoffice.view_house", SUPPORT, OPERATOR),
    # The ledger
    _may("jobs.view_queueload", SUPPORT, OPERATOR),
    _may("jobs.pause_queue", OPERATOR),
    _may("jobs.view_job", SUPPORT, OPERATOR),
    _may("jobs.view_jobhistory", SUPPORT, OPERATOR),
    _may("jobs.run_job", SUPPORT, OPERATOR),
    _may("jobs.cancel_job", OPERATOR),
    _may("jobs.prioritise_job", OPERATOR),
    _may("jobs.view_deadjob", SUPPORT, OPERATOR),
    _may("jobs.replay_job", SUPPORT, OPERATOR),
    _may("jobs.discard_job", SUPPORT, OPERATOR),
    _may("jobs.view_deadletter", OPERATOR),
    _may("jobs.discard_deadletter", OPERATOR),
    _may("jobs.run_schedule", OPERATOR),
    _may("django_celery_beat.view_periodictask", SUPPORT, OPERATOR),
    _may("django_celery_beat.add_periodictask", OPERATOR),
    _may("django_celery_beat.change_periodictask", OPERATOR),
    _may("django_celery_beat.delete_periodictask", OPERATOR),
    _may("django_celery_beat.view_crontabschedule", OPERATOR),
    _may("django_celery_beat.change_crontabschedule", OPERATOR),
    _may("django_celery_beat.view_intervalschedule", OPERATOR),
    _may("django_celery_beat.change_intervalschedule", OPERATOR),
    _may("django_celery_beat.view_clockedschedule", OPERATOR),
    _may("django_celery_beat.change_clockedschedule", OPERATOR),
    # Logins
    _may("auth.view_user", OPERATOR),
    _may("auth.view_group", OPERATOR),
    _may("boxoffice.reset_second_factor", OPERATOR),
    _may("boxoffice.lift_lockout", OPERATOR),
    _may("boxoffice.view_audittrail", FINANCE, OPERATOR),
)


def permissions_of(*, role: str) -> frozenset[str]:
    """What the role may do, as ``app.codename``. Raises KeyError for a role that there is not."""
    if role not in ROLES:
        raise KeyError(role)
    return frozenset(grant.permission for grant in GRANTS if role in grant.roles)
