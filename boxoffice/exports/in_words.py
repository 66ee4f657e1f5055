"""What an export is of, in a few words: for the audit trail, in English, and nobody's data."""

from __future__ import annotations

from boxoffice.models import Export


def filter_in_words(export: Export) -> str:
    """``orders, 2026-11-01 to 2026-11-30``, ``takings, venue 2, 2026-11-01 to 2026-11-30: Odeon``, or
    ``attendees, show 7: Hamlet``. Pure.
    """
    days = f", {export.first} to {export.last}" if export.first else ""
    if export.show_id is not None:
        return f"{export.kind}, show {export.show_id}{days}: {export.show_title}"[:300]
    if export.venue_id is not None:
        return f"{export.kind}, venue {export.venue_id}{days}: {export.venue_name}"[:300]
    return f"{export.kind}{days}"
