"""What becomes of jobs that have ended: kept for a while, then moved to a history by month, then dropped with it."""
