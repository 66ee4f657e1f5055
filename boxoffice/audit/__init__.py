"""Who did what: all audit trails read together, and erased when they are old enough."""
