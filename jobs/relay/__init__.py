"""The relay: what a process does that hands due jobs to the broker, and looks after the ledger meanwhile."""
