"""Periodic jobs: when they are due, and how they get into the ledger."""
