"""What the jobs of a schedule are about."""

from __future__ import annotations


def subject_of(name: str) -> str:
    """The subject of the jobs of the schedule ``name``."""
    return f"schedule:{name}"
