"""The door: a page for a device that lets people in. What is decided lies in ``tickets``; this shows it."""
