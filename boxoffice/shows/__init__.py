"""What staff do to a whole show, and what they see of it."""
