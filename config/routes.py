"""Which tasks an event starts, and which queue a task runs in. Both tables are checked at start-up."""

EVENTS = {
    "inventory.SaleOpened": ("boxoffice.tell_sale_opened",),
    # For whatever looks back at a day; each of its tasks takes ``day``.
    "boxoffice.DayEnded": (),
    "boxoffice.OrderConfirmed": ("tickets.issue_tickets",),
    "boxoffice.OrderMoved": ("tickets.issue_tickets",),
    "tickets.TicketsIssued": ("boxoffice.tell_tickets_ready",),
}

TASKS = {
    "jobs.prune": "default",
    "inventory.expire_hold": "default",
    "inventory.release_left_hold": "default",
    "inventory.release_expired_holds": "default",
    "inventory.open_sale": "default",
    "inventory.plan_sale_openings": "default",
    "inventory.count_free_seats": "default",
    "inventory.count_what_was_left": "default",
    "tickets.issue_tickets": "tickets",
    "tickets.renew_document": "tickets",
    "tickets.discard_file": "tickets",
    "tickets.prune_scans": "default",
    "boxoffice.settle_payment": "payments",
    "boxoffice.prune_provider_events": "default",
    "boxoffice.tell_tickets_ready": "default",
    "boxoffice.tell_tickets_late": "default",
    "boxoffice.tell_sale_opened": "default",
    "boxoffice.erase_sale_alerts": "default",
    "boxoffice.plan_reminders": "default",
    "boxoffice.count_sales": "default",
    "boxoffice.count_sales_left": "default",
    "boxoffice.prove_takings": "default",
    "boxoffice.prune_sessions": "default",
    "boxoffice.prune_login_failures": "default",
    "boxoffice.end_day": "default",
    "notifications.prune_mail_events": "default",
    "boxoffice.send_message": "messages",
    "boxoffice.send_bulk": "bulk",
    "boxoffice.send_push": "messages",
    "boxoffice.send_refund": "payments",
    "boxoffice.ask_about_refund": "payments",
}
