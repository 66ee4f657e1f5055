"""Orders, attendees and takings as files that spreadsheets open. See ``docs/exports.md``."""
