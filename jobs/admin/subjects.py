"""Where a job's subject has its page. The apps that own such pages say so; the ledger knows none of them.

A subject has a kind and a name, such as ``order:ABCD2345``. An app's ``admin.py`` registers the kinds that it owns.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest

from jobs.personal import may_see_personal_data, text_for

Address = Callable[[HttpRequest, str], str | None]
Person = Callable[[str], tuple[str, str]]

_ADDRESSES: dict[str, Address] = {}
_PEOPLE: dict[str, Person] = {}


def link_subjects(*, kind: str, address: Address, person: Person | None = None) -> None:
    """Let the subjects of this kind lead to a page.

    address: takes the request and the name; returns the page's address, or None when there is none, or none that this
    user may see. One query at most.
    person: takes the name; returns name and mail address of the fan whom it is about, empty where there is none. One
    query at most.
    """
    _ADDRESSES[kind] = address
    if person is not None:
        _PEOPLE[kind] = person


def address_of(request: HttpRequest, subject: str) -> str | None:
    """The address of the page of what a job is about, if it has one."""
    kind, _colon, name = subject.partition(":")
    address = _ADDRESSES.get(kind)
    return address(request, name) if address is not None and name else None


def words_about(request: HttpRequest, text: str, *, subject: str) -> str:
    """What staff wrote about this subject, as the user may see it: without the fan's name and address for who may not.

    One query at most, none for who may see them.
    """
    if not text or may_see_personal_data(request.user):
        return text
    kind, _colon, name = subject.partition(":")
    person = _PEOPLE.get(kind)
    fan, address = person(name) if person is not None and name else ("", "")
    return text_for(request.user, text, name=fan, address=address)
