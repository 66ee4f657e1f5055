"""The process behind the short links: it answers from memory, and what it counts waits for nothing.

It runs without Django's apps and settings: ``config/redirect.py`` hands it what it needs. What it promises, and what it
loses when it is killed, is in ``docs/redirect.md``.
"""
