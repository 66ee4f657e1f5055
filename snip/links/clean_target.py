"""Whether what somebody typed is the address of a web page at all. Whether it is fit to be served, the scanner says."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.encoding import iri_to_uri

from snip.links.errors import InvalidTarget, TargetIsALink, TargetTooLong
from snip.models.link import MAX_TARGET
from snip.scan.hosts import in_ascii
from snip.scan.refusals import Refused

_IS_ADDRESS = URLValidator(schemes=["http", "https"])


def clean_target(text: str) -> str:
    """The address in ASCII, as a Location header carries it: words of other alphabets are encoded.

    Raises InvalidTarget for what is no address of http or https, names a user or is no text in one line, TargetTooLong,
    and TargetIsALink for a short link of our own, which would count its clicks twice or lead in circles.
    """
    typed = text.strip()
    if len(typed) > MAX_TARGET:
        raise TargetTooLong
    try:
        _IS_ADDRESS(typed)
        parts = urlsplit(typed)
        host = in_ascii(parts.hostname or "")
        port = f":{parts.port}" if parts.port else ""
    except (ValidationError, ValueError, Refused) as wrong:
        raise InvalidTarget from wrong
    if not host or parts.username is not None or parts.password is not None:
        raise InvalidTarget
    place = f"[{host}]{port}" if ":" in host else f"{host}{port}"
    target = iri_to_uri(urlunsplit((parts.scheme.lower(), place, parts.path, parts.query, parts.fragment)))
    if len(target) > MAX_TARGET:
        raise TargetTooLong
    if _is_ours(target):
        raise TargetIsALink
    return target


def _is_ours(target: str) -> bool:
    base, parts = urlsplit(settings.SNIP_BASE_URL), urlsplit(target)
    same = (parts.hostname, parts.port or _PORTS[parts.scheme]) == (base.hostname, base.port or _PORTS[base.scheme])
    return same and parts.path.startswith(base.path)


_PORTS = {"http": 80, "https": 443}
