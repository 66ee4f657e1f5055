"""What a failure is, and what it means for the next attempt. Pure functions and one table."""
