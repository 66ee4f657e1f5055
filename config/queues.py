"""Every queue of the ledger, in one table."""

from jobs.queues import Queue

QUEUES = (
    Queue("default", purpose="Small work in the database: planning, read models."),
    Queue("tickets", purpose="Rendering of ticket files; busy with the CPU."),
    Queue("messages", purpose="Mails and push messages; waits for providers."),
)
