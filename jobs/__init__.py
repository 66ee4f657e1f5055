"""The ledger: work that is a row in PostgreSQL before it is a message in a broker."""
