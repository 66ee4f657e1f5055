"""Who goes when: pauses, breakers, windows, and what happens when there is more work than workers."""
