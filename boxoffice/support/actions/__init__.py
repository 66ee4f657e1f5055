"""The pages on which staff change an order. Each asks once, names the thing, and calls a service."""
