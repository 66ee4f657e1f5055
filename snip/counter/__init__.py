"""The group ``counter``: it reads the log, and adds each click to the counts once."""
