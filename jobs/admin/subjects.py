"""Where a job's subject has its page. The apps that own such pages say so; the ledger knows none of them.

A subject has a kind and a name, such as ``order:ABCD2345``. An app's ``admin.py`` registers the kinds that it owns.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest

Address = Callable[[HttpRequest, str], str | None]

_ADDRESSES: dict[str, Address] = {}


def link_subjects(*, kind: str, address: Address) -> None:
    """Let the subjects of this kind lead to a page.

    address: takes the request and the name; returns the page's address, or None when there is none, or none that this
    user may see. One query at most.
    """
    _ADDRESSES[kind] = address


def address_of(request: HttpRequest, subject: str) -> str | None:
    """The address of the page of what a job is about, if it has one."""
    kind, _colon, name = subject.partition(":")
    address = _ADDRESSES.get(kind)
    return address(request, name) if address is not None and name else None
