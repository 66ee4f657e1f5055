"""What becomes of a payment that its owner disputes with his bank: asked of the provider, never decided here.

How a dispute goes, and what becomes of the tickets: docs/disputes.md.
"""
