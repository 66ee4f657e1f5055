"""An order told from its rows: the facts, one timeline, and what is wrong with it."""
