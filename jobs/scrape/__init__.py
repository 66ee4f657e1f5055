"""What Prometheus reads: the counters of this host's processes, and what the ledger says when it is asked."""
