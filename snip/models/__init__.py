"""What is kept of links and of their clicks."""

from snip.models.blocked_site import BlockedSite, SiteAction, TargetCheck
from snip.models.click import ClickCount, ProcessedClick, UncountedClicks
from snip.models.click_archive import ArchiveProgress, ClickArchive, ClickDay
from snip.models.link import Link, LinkCode
from snip.models.link_action import LinkAction

__all__ = [
    "ArchiveProgress",
    "BlockedSite",
    "ClickArchive",
    "ClickCount",
    "ClickDay",
    "Link",
    "LinkAction",
    "LinkCode",
    "ProcessedClick",
    "SiteAction",
    "TargetCheck",
    "UncountedClicks",
]
