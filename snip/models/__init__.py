"""What is kept of links and of their clicks."""

from snip.models.link import Link, LinkCode

__all__ = ["Link", "LinkCode"]
