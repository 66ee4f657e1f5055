"""The support desk: what happened to an order, in words that need no engineer."""
