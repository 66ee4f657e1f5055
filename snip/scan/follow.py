"""From a target to the page where it ends: each hop is checked like the first, before anything is asked of it."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass

from jobs.errors import TransientError
from snip.scan.ask import Answer, ask
from snip.scan.join import join
from snip.scan.page_refresh import where_it_goes
from snip.scan.policy import Policy
from snip.scan.refusals import Reason, Refused
from snip.scan.resolve import Resolver, ask_system, public_addresses
from snip.scan.targets import OwnPage, Target, read_target

GONE = (404, 410)

IsBlocked = Callable[[str], bool]
"""Whether links to this host (ASCII) are blocked."""


class NotWell(TransientError):
    """The site answers with an error of its own. It is asked again later."""


@dataclass(frozen=True)
class Found:
    """Where a target ends: the address without its fragment, and how many redirects led there."""

    address: str
    hops: int


@dataclass(frozen=True)
class Scanner:
    """What a scan is made of. is_blocked: the operators' list. resolver, trust: others in tests alone."""

    policy: Policy
    is_blocked: IsBlocked
    resolver: Resolver = ask_system
    trust: ssl.SSLContext | None = None

    def follow(self, text: str) -> Found:
        """Follow ``text`` to its end. Raises Refused, and TransientError for what may pass."""
        until, seen, by_page = time.monotonic() + self.policy.seconds, set[str](), False
        for hop in range(self.policy.most_redirects + 1):
            try:
                target = read_target(text, policy=self.policy)
                if isinstance(target, OwnPage):
                    return Found(text, hop)
                if target.address in seen:
                    if by_page:  # it only loads itself, or the page before, anew
                        return Found(target.address, hop)
                    raise Refused(Reason.REDIRECT_LOOP)
                seen.add(target.address)
                onwards, by_page = self._look_at(target, until=until)
                if not onwards:
                    return Found(target.address, hop)
                text = onwards
            except Refused as refused:
                raise Refused(refused.reason, hop=hop + refused.hop) from None
        raise Refused(Reason.TOO_MANY_REDIRECTS, hop=self.policy.most_redirects)

    def _look_at(self, target: Target, *, until: float) -> tuple[str, bool]:
        """Ask for one address; return where it leads on to, empty where it does not, and whether its page says so."""
        if self.is_blocked(target.host):
            raise Refused(Reason.BLOCKED)
        left = max(until - time.monotonic(), 0.1)
        addresses = public_addresses(target.host, resolver=self.resolver, policy=self.policy, seconds=left)
        answer = ask(target, addresses, policy=self.policy, until=until, trust=self.trust)
        return _leads_to(target.address, answer)


def _leads_to(address: str, answer: Answer) -> tuple[str, bool]:
    """A refusal to show it to a program (401, 403, 429) is an answer of a site that is there: people may see it."""
    if answer.status in GONE:
        raise Refused(Reason.NOT_FOUND)
    if answer.status >= 500:
        raise NotWell(f"The site answers with status {answer.status}.")
    if len(answer.locations) > 1:  # each browser chooses another one, or none
        raise Refused(Reason.UNCLEAR)
    if answer.locations:
        return join(address, answer.locations[0]), False
    return where_it_goes(address=address, refreshes=answer.refreshes, page=answer.page), True
