"""What is kept of links and of their clicks."""

from snip.models.click import ClickCount, ProcessedClick, UncountedClicks
from snip.models.link import Link, LinkCode

__all__ = ["ClickCount", "Link", "LinkCode", "ProcessedClick", "UncountedClicks"]
