"""The parts of the stateful test of the ledger: actors with sessions of their own, the broker's model, the watch."""
