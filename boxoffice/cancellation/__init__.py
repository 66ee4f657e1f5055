"""Cancelling a show: sale and holds stop at once, everybody is refunded and told, a week later the books are closed.

``workflow.py`` reads as the process. Each step is one transaction: it does its work, writes down what it did, moves the
row on and enqueues the next step, which names where it begins. So a step that comes a second time finds the row moved
and does nothing, and whatever dies in between, the step is done again from the start or was done.

Note [What is owed]: nothing of the money is kept twice. What is left of a payment is read from the payment, its
refunds, its disputes and its write-off whenever somebody asks; so planning the same order again plans what was not
planned yet, which is nothing.

Note [Order of locks]: a step locks the cancellation first, then payments by id, orders by id, seats by id, tickets by
id. Whoever holds a payment or an order never waits for a cancellation: he only reads it.
"""
