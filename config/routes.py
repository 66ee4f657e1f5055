"""Which tasks an event starts, and which queue a task runs in. Both tables are checked at start-up."""

EVENTS = {
    "boxoffice.OrderConfirmed": ("tickets.issue_tickets",),
    "tickets.TicketsIssued": ("boxoffice.tell_tickets_ready",),
}

TASKS = {
    "inventory.expire_hold": "default",
    "inventory.release_expired_holds": "default",
    "tickets.issue_tickets": "tickets",
    "boxoffice.tell_tickets_ready": "default",
    "boxoffice.send_message": "messages",
}
