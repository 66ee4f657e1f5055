"""The group ``archiver``: it rolls clicks up by day, and stores each hour of the log as compressed objects.

It reads at its own pace and keeps its place in PostgreSQL, in the transaction of what it did with what it read. The
group in Redis shows that place to whoever looks at the log there, and decides nothing. See ``docs/click-log.md``.
"""
