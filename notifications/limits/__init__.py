"""One limit for all workers per provider: whoever is about to call one takes its place in the row first."""
