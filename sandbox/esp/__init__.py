"""A stand-in for the ESP Resend: its API for sending, its idempotency keys, its rate limit and its signed webhooks.

Mails that it takes lie in the sandbox's mailbox, beside those that came by SMTP. Its knobs are a file in the same
folder, so that the mailbox's pages turn them.
"""
