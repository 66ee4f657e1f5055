"""The end of what cannot go on: dead jobs, and messages that the ledger knows nothing of."""
