"""What the ESP's answers mean for the next attempt.

Whatever says "not now" is tried again, and so is what people mend while the job waits: a key that is refused, a domain
that is not verified. What the ESP says about this message is final.
"""

from __future__ import annotations

import requests
from anymail.exceptions import AnymailError, AnymailInvalidAddress

from jobs.errors import JobsError
from jobs.failures.retry_after import retry_after
from notifications.channels.email.smtp import without_addresses
from notifications.errors import BadAddress, LargerThanTaken, MailServerBusy, MailServerUnavailable, MessageRefused

QUOTA_RETRY_AFTER = 3600
"""Seconds, where a quota of a day or a month is used up and the answer does not say how long."""

_NOT_NOW = frozenset({408, 425})
_OF_THE_ACCOUNT = frozenset({401, 403, 404, 405})


def meaning_of(error: AnymailError) -> JobsError:
    """The error as one that says whether to try again. Pure.

    | what happened                                              | becomes                                        |
    |------------------------------------------------------------|------------------------------------------------|
    | refused, reset or timed out                                | MailServerUnavailable                          |
    | 429                                                        | MailServerBusy, after its Retry-After          |
    | 429, a quota is used up                                    | the same, after an hour unless it says         |
    | 5xx, 408, 425; an answer that cannot be read               | MailServerUnavailable                          |
    | 401, 403, 404, 405: key, domain or address of the API      | MailServerUnavailable                          |
    | 409, the same key is being worked on                       | MailServerUnavailable                          |
    | 409, the key was used for another text                     | none: it was taken (``is_taken_already``)      |
    | 413                                                        | LargerThanTaken                                |
    | any other 4xx                                              | MessageRefused                                 |
    | an address that anymail cannot read                        | BadAddress                                     |
    | what anymail or the ESP cannot send                        | MessageRefused                                 |
    """
    if isinstance(error, AnymailInvalidAddress):
        return BadAddress()
    if error.response is None:
        if isinstance(error, requests.RequestException):
            return MailServerUnavailable(f"The mail provider could not be reached: {_kind_of(error)}")
        return MessageRefused(f"The mail provider cannot send this message: {without_addresses(_first_line(error))}")
    status, said = error.response.status_code, _said(error.response)
    if status == 429:
        quota = QUOTA_RETRY_AFTER if "quota" in _name_in(error.response) else None
        return MailServerBusy(said, retry_after=retry_after(_headers(error.response)) or quota)
    if status == 413:
        return LargerThanTaken(said)
    if 400 <= status < 500 and status not in _NOT_NOW | _OF_THE_ACCOUNT and not _is_in_progress(error):
        return MessageRefused(said)
    return MailServerUnavailable(said)


def is_taken_already(error: AnymailError) -> bool:
    """Whether the ESP says that it took a message with this key before, in other words: it is out, and stays so."""
    return error.response is not None and _name_in(error.response) == "invalid_idempotent_request"


def _is_in_progress(error: AnymailError) -> bool:
    return _name_in(error.response) == "concurrent_idempotent_requests"


def _said(response: requests.Response) -> str:
    body = _body(response)
    words = " ".join(str(body.get("message") or response.reason or "").split())
    return f"The mail provider answered {response.status_code}: {without_addresses(words)}"


def _name_in(response: requests.Response) -> str:
    return str(_body(response).get("name", ""))


def _body(response: requests.Response) -> dict[str, object]:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _headers(response: requests.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _kind_of(error: BaseException) -> str:
    """What kind of failure; its text may hold the whole request."""
    return type(error.__cause__ or error).__name__


def _first_line(error: AnymailError) -> str:
    return " ".join(str(argument) for argument in error.args).partition("\n")[0]
