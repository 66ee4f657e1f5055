"""Tracked links, as staff and promoters see them: with their clicks, and with what was sold through them."""
