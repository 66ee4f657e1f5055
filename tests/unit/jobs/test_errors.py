"""An error says by itself what to do."""

from __future__ import annotations

import pytest

from jobs import errors


@pytest.mark.parametrize(
    "error",
    [value for value in vars(errors).values() if isinstance(value, type) and value.__module__ == errors.__name__],
)
def test_the_default_message_is_the_docstring(error: type[errors.JobsError]) -> None:
    assert str(error()) == (error.__doc__ or "").strip()
    assert str(error()).endswith((".", '."', "back."))
    assert str(error("another message")) == "another message"
    assert issubclass(error, errors.JobsError)
