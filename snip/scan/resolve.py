"""From a name to its addresses, in bounded time; and whether all of them are public.

Who owns a name decides what it points at, and may point it at our own network. So each of the addresses has to be
public, and the one that was looked at is the one that is connected to (``ask.py``): a second look-up, which may answer
otherwise (DNS rebinding), does not happen.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from queue import Empty, SimpleQueue

from jobs.errors import TransientError
from snip.scan.addresses import Address
from snip.scan.policy import Policy
from snip.scan.refusals import Reason, Refused

Resolver = Callable[[str, float], Sequence[str]]
"""A name in ASCII and the seconds that there are; all of its addresses, IPv4 and IPv6, as text.

Raises NameUnknown where there is no such name and NameUnanswered where nobody could say.
"""

MOST_LOOKUPS = 64
"""Look-ups that one process has under way. One that nobody waits for any more ends by itself, half a minute later."""

MOST_ADDRESSES = 64

_NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_under_way = threading.BoundedSemaphore(MOST_LOOKUPS)


class NameUnknown(Exception):
    """DNS says that there is no such name, or that it has no address."""


class NameUnanswered(TransientError):
    """DNS did not answer. It is asked again later."""


def public_addresses(host: str, *, resolver: Resolver, policy: Policy, seconds: float) -> list[Address]:
    """The addresses of ``host``, IPv4 first, each of them public.

    Raises Refused where there is no such name, or one address is not public, and NameUnanswered.
    """
    try:
        found = resolver(host, min(seconds, policy.name_seconds))
        addresses = {ip_address(text) for text in found}
    except NameUnknown:
        raise Refused(Reason.NO_SUCH_SITE) from None
    except ValueError:
        raise Refused(Reason.NOT_PUBLIC) from None
    if not addresses:
        raise Refused(Reason.NO_SUCH_SITE)
    if len(addresses) > MOST_ADDRESSES or not all(policy.may_ask(address) for address in addresses):
        raise Refused(Reason.NOT_PUBLIC)
    return sorted(addresses, key=lambda address: (address.version, int(address)))


def ask_system(host: str, seconds: float) -> Sequence[str]:
    """The machine's own resolver. The name is absolute: no search domain is tried. Its time-out is ours, since
    ``getaddrinfo`` has none: the look-up goes on in a thread of its own that nobody waits for longer.
    """
    if not _under_way.acquire(timeout=seconds):
        raise NameUnanswered("Too many look-ups are under way.")
    answer: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()
    threading.Thread(target=_look_up, args=(host, answer), name=f"look up {host}", daemon=True).start()
    try:
        said = answer.get(timeout=seconds)
    except Empty:
        raise NameUnanswered(f"DNS did not answer within {seconds:.1f} s.") from None
    if isinstance(said, Exception):
        raise said
    return said


def _look_up(host: str, answer: SimpleQueue[Sequence[str] | Exception]) -> None:
    try:
        found = socket.getaddrinfo(f"{host}.", None, type=socket.SOCK_STREAM)
        answer.put([str(sockaddr[0]) for *_, sockaddr in found])
    except socket.gaierror as failed:
        if failed.errno in _NO_SUCH_NAME:
            answer.put(NameUnknown(host))
        else:
            answer.put(NameUnanswered(f"DNS: {failed.strerror}."))
    except (OSError, UnicodeError) as failed:
        answer.put(NameUnanswered(f"DNS: {failed}."))
    finally:
        _under_way.release()
