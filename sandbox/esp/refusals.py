"""What the API refuses, in the form of Resend's errors (resend.com/docs/api-reference/errors)."""

from __future__ import annotations

from typing import Any


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, name: str, message: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.name, self.message, self.headers = status, name, message, headers or {}

    def body(self) -> dict[str, Any]:
        """The JSON that is answered."""
        return {"statusCode": self.status, "name": self.name, "message": self.message}


def invalid(message: str) -> Refusal:
    """A field that fails validation."""
    return Refusal(422, "validation_error", message)
