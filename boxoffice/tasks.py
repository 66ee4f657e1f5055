"""Celery is one more way in: each task decodes ids, calls one function and returns."""

from __future__ import annotations

from datetime import date, datetime

from celery import shared_task

from boxoffice.attention.erase_messages import erase_messages
from boxoffice.cancellation import balance, hold_refunds, plan_again, try_failed_again, workflow
from boxoffice.disputes import take_dispute as disputing
from boxoffice.disputes.look_for_disputes import look_for_disputes
from boxoffice.end_day import end_day
from boxoffice.erase_push_subscriptions import erase_push_subscriptions
from boxoffice.erase_recipients import erase_recipients
from boxoffice.erase_sale_alerts import erase_sale_alerts
from boxoffice.exports.erase_exports import erase_exports
from boxoffice.exports.write_export import write_export
from boxoffice.payments import settle_payment as settling
from boxoffice.payments.prune_events import prune_events
from boxoffice.plan_reminders import plan_reminders
from boxoffice.prune_sessions import prune_sessions
from boxoffice.reconciliation import reconcile_day as reconciling
from boxoffice.reconciliation.tell_finance import tell_finance
from boxoffice.refunds import send_refund as sending
from boxoffice.roles.lockout.prune import prune_login_failures
from boxoffice.sales import ask_for_count as sales
from boxoffice.sales.count_sales import count_sales
from boxoffice.sales.tell_differences import prove_and_tell
from boxoffice.self_help.erase_asked_orders import erase_asked_orders
from boxoffice.self_help.tell_my_orders import tell_my_orders
from boxoffice.shows.tell_holders import tell_holders
from boxoffice.shows.tell_show_moved import tell_show_moved
from boxoffice.tell_sale_opened import tell_sale_opened
from boxoffice.tell_tickets import plan_tickets_mail
from boxoffice.tell_tickets_late import tell_tickets_late
from boxoffice.write_message import write_and_send
from boxoffice.write_push import write_and_push
from jobs.record import record


@shared_task(name="boxoffice.tell_tickets_ready", has_call=False)
def tell_tickets_ready(*, order_id: int, **_event: object) -> None:
    """The tickets are stored: plan the mail that brings them, and what devices are told. And count what was sold."""
    with record():
        plan_tickets_mail(order_id=order_id)
        sales.ask_for_count(order_id=order_id)


@shared_task(name="boxoffice.tell_tickets_late", has_call=False)
def tell_those_who_wait() -> None:
    """Tickets that were paid for are not there: plan the mails that say so."""
    with record():
        tell_tickets_late()


@shared_task(name="boxoffice.settle_payment")
def settle_payment(*, payment_id: int) -> None:
    """Ask the payment provider what became of a payment, and do what follows."""
    settling.settle_payment(payment_id=payment_id)


@shared_task(name="boxoffice.tell_finance", has_call=False)
def tell_who_keeps_the_books(*, day: str, **_event: object) -> None:
    """A day was reconciled: plan the mail to finance, where there is an address."""
    with record():
        tell_finance(day=day)


@shared_task(name="boxoffice.look_for_disputes", has_call=False)
def look_for_untold_disputes(*, day: str, **_event: object) -> None:
    """A day was reconciled: ask about the disputes in it that no event told of."""
    with record():
        look_for_disputes(day=date.fromisoformat(day))


@shared_task(name="boxoffice.take_dispute")
def take_dispute(*, provider_id: str) -> None:
    """Ask the payment provider how a dispute stands, and let the tickets follow."""
    disputing.take_dispute(provider_id=provider_id)


@shared_task(name="boxoffice.prune_provider_events", has_call=False)
def forget_provider_events() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    prune_events()


@shared_task(name="boxoffice.tell_sale_opened", has_call=False)
def tell_those_who_asked(*, show_id: int, on_sale_at: str, announced_at: str = "", **_event: object) -> None:
    """The sale of a show has opened: plan the mails to those who wait for it."""
    with record():
        tell_sale_opened(show_id=show_id, opening=announced_at or on_sale_at)


@shared_task(name="boxoffice.tell_show_moved", has_call=False)
def tell_who_has_tickets(*, show_id: int, version: int, after: int = 0) -> None:
    """A show was moved: plan the mails of one page of orders, and the job of the next."""
    with record():
        tell_show_moved(show_id=show_id, version=version, after=after)


@shared_task(name="boxoffice.tell_holders", has_call=False)
def tell_what_became_of_a_show(*, show_id: int, kind: str, version: int, after: int = 0) -> None:
    """A show was postponed, or goes on: plan the mails of one page of orders, and the job of the next."""
    with record():
        tell_holders(show_id=show_id, kind=kind, version=version, after=after)


@shared_task(name="boxoffice.erase_sale_alerts", has_call=False)
def forget_those_who_were_told() -> None:
    """Commits batch by batch, without ``record``: each changes nothing when it comes again."""
    erase_sale_alerts()


@shared_task(name="boxoffice.tell_my_orders", has_call=False)
def tell_who_asked_for_orders(*, asked_id: int) -> None:
    """Somebody asked for the orders of an address: plan the mail with their links, if it has any."""
    with record():
        tell_my_orders(asked_id=asked_id)


@shared_task(name="boxoffice.erase_asked_orders", has_call=False)
def forget_who_asked_for_orders() -> None:
    """Commits batch by batch, without ``record``: each changes nothing when it comes again."""
    erase_asked_orders()


@shared_task(name="boxoffice.erase_messages", has_call=False)
def forget_who_wrote_to_us() -> None:
    """Commits batch by batch, without ``record``: each changes nothing when it comes again."""
    erase_messages()


@shared_task(name="boxoffice.erase_push_subscriptions", has_call=False)
def forget_browsers() -> None:
    """Commits page by page, without ``record``: each changes nothing when it comes again."""
    erase_push_subscriptions()


@shared_task(name="boxoffice.erase_recipients", has_call=False)
def forget_who_was_told() -> None:
    """Commits page by page, without ``record``: each changes nothing when it comes again."""
    erase_recipients()


@shared_task(name="boxoffice.plan_reminders", has_call=False)
def remind() -> None:
    """Commits page by page, without ``record``: a page that comes again plans nothing."""
    plan_reminders()


@shared_task(name="boxoffice.count_sales", has_call=False)
def count_what_a_show_sold(*, show_id: int) -> None:
    """Something of a show was sold, given back or moved."""
    with record():
        count_sales(show_id=show_id)


@shared_task(name="boxoffice.count_sales_left", has_call=False)
def see_to_counts_of_sales() -> None:
    """Commits what it enqueues by itself, without ``record``: a second run changes nothing more."""
    sales.count_what_was_left()


@shared_task(name="boxoffice.prove_takings", has_call=False)
def prove_and_repair_takings() -> None:
    """Commits show by show, without ``record``: what was repaired does not differ when it comes again."""
    prove_and_tell()


@shared_task(
    name="boxoffice.write_export",
    on_dead="boxoffice.exports.failures.mark_export_failed",
    on_replay="boxoffice.exports.failures.reopen_failed_export",
)
def write_an_export(*, export_id: int) -> None:
    """Somebody of staff asked for a file of orders, attendees or takings."""
    write_export(export_id=export_id)


@shared_task(name="boxoffice.erase_exports")
def forget_exports() -> None:
    """Commits file by file, without ``record``: what has gone is not there when it comes again."""
    erase_exports()


@shared_task(name="boxoffice.prune_sessions", has_call=False)
def forget_expired_sessions() -> None:
    """Commits batch by batch, without ``record``: what has gone is not there when it comes again."""
    prune_sessions()


@shared_task(name="boxoffice.prune_login_failures", has_call=False)
def forget_login_failures() -> None:
    """One statement, without ``record``: what has gone is not there when it comes again."""
    prune_login_failures()


@shared_task(name="boxoffice.end_day", has_call=False)
def announce_the_end_of_the_day(*, due_at: str) -> None:
    """A day is over: say so, in the transaction that ends this job."""
    with record():
        end_day(due_at=datetime.fromisoformat(due_at))


@shared_task(name="boxoffice.reconcile_day", has_call=False)
def reconcile_day(*, day: str, **_event: object) -> None:
    """A day has ended: begin to compare its money with the payment provider's, and again what was left behind."""
    with record():
        reconciling.begin_night(day=date.fromisoformat(day))


@shared_task(name="boxoffice.read_balance")
def read_balance(*, day: str, run: int) -> None:
    """Ask the payment provider for some pages of a day's balance transactions."""
    reconciling.read_on(day=date.fromisoformat(day), run=run)


@shared_task(name="boxoffice.compare_balance", has_call=False)
def compare_balance(*, day: str, run: int) -> None:
    """All of a day was read: compare it with what we have."""
    with record():
        reconciling.compare_day(day=date.fromisoformat(day), run=run)


@shared_task(
    name="boxoffice.send_message",
    on_dead="notifications.failures.mark_notification_failed",
    on_replay="notifications.failures.reopen_failed_notification",
)
def send_message(*, notification_id: int) -> None:
    """Write one planned message and hand it to the provider."""
    write_and_send(notification_id=notification_id)


@shared_task(
    name="boxoffice.send_push",
    on_dead="notifications.failures.mark_notification_failed",
    on_replay="notifications.failures.reopen_failed_notification",
)
def send_push(*, notification_id: int) -> None:
    """Write one planned push message and hand it to the push service."""
    write_and_push(notification_id=notification_id)


@shared_task(
    name="boxoffice.send_bulk",
    on_dead="notifications.failures.mark_notification_failed",
    on_replay="notifications.failures.reopen_failed_notification",
)
def send_bulk(*, notification_id: int) -> None:
    """The same, for what many get at once: in a queue behind the mails that somebody waits for."""
    write_and_send(notification_id=notification_id)


@shared_task(
    name="boxoffice.send_refund",
    on_dead="boxoffice.refunds.try_again.mark_refund_failed",
    on_replay="boxoffice.refunds.try_again.reopen_failed_refund",
)
def send_refund(*, refund_id: int) -> None:
    """Ask the payment provider to give the money back."""
    sending.send_refund(refund_id=refund_id)


@shared_task(name="boxoffice.ask_about_refund")
def ask_about_refund(*, refund_id: int) -> None:
    """Ask the payment provider how a pending refund stands."""
    sending.ask_about_refund(refund_id=refund_id)


@shared_task(
    name="boxoffice.send_mass_refund",
    on_dead="boxoffice.refunds.try_again.mark_refund_failed",
    on_replay="boxoffice.refunds.try_again.reopen_failed_refund",
)
def send_mass_refund(*, refund_id: int) -> None:
    """The same for one of a cancelled show, which may be paused and keeps to the provider's rate."""
    sending.send_refund(refund_id=refund_id, is_of_many=True)


@shared_task(name="boxoffice.ask_for_balance", on_dead="boxoffice.cancellation.balance.ask_on_though_dead")
def ask_for_balance(*, asked: int) -> None:
    """Refunds of cancelled shows wait for our balance: try whether it was topped up."""
    balance.ask_for_balance(asked=asked)


@shared_task(name="boxoffice.go_on_with_cancellation", has_call=False)
def go_on_with_cancellation(*, cancellation_id: int, phase: str, cursor: int) -> None:
    """A show is cancelled: do the next step, and enqueue the one after it."""
    with record():
        workflow.go_on(cancellation_id=cancellation_id, phase=phase, cursor=cursor)


@shared_task(name="boxoffice.hold_refunds", has_call=False)
def hold_or_let_refunds_go(*, cancellation_id: int) -> None:
    """Commits chunk by chunk, without ``record``: what was moved is not found when it comes again."""
    hold_refunds.hold_refunds(cancellation_id=cancellation_id)


@shared_task(name="boxoffice.try_failed_again", has_call=False)
def try_failed_refunds_again(*, cancellation_id: int, after: int, until: int, by: str, reason: str) -> None:
    """Staff have asked for it on the page of a cancelled show: a page of them, and the job of the next."""
    with record():
        try_failed_again.try_failed_again(
            cancellation_id=cancellation_id, after=after, until=until, by=by, reason=reason
        )


@shared_task(name="boxoffice.plan_order_again", has_call=False)
def plan_order_again(*, order_id: int) -> None:
    """Money of an order of a cancelled show is ours again."""
    with record():
        plan_again.plan_order_again(order_id=order_id)
