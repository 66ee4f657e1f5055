"""Measurements, each against a peer or a plain way in the same run: ``make bench`` or ``make bench-NAME``."""
