"""``python -m tests.chaos``: real processes are killed, paused and cut off, and what the jobs left behind is counted.

One file for each family of faults; ``docs/chaos.md`` tells how to run it, how to read it, and how to add a fault.
"""
