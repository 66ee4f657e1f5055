"""What the API refuses, in the form of Stripe's error objects (Stripe API reference, "Errors")."""

from __future__ import annotations

from typing import Any

API_VERSION = "2026-10-28.endive"


class ApiError(Exception):
    """An answer that is an error object. ``kept`` tells whether an Idempotency-Key remembers it."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: str = "invalid_request_error",
        code: str = "",
        param: str = "",
        kept: bool = True,
        headers: dict[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.type, self.code, self.param = message, status, type, code, param
        self.kept, self.headers, self.more = kept, headers or {}, more

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON that is answered."""
        error: dict[str, Any] = {"message": self.message, "type": self.type, **self.more}
        if self.code:
            error |= {
                "code": self.code,
                "doc_url": f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}",
            }
        if self.param:
            error["param"] = self.param
        error["request_log_url"] = f"https://dashboard.stripe.com/test/logs/{request_id}"
        return {"error": error}


def invalid(message: str, *, param: str = "", code: str = "") -> ApiError:
    """A parameter that fails validation: nothing begins to execute, so no key remembers the answer."""
    return ApiError(message, code=code, param=param, kept=False)


def missing(kind: str, id: str, *, param: str, status: int = 404) -> ApiError:
    """An id that there is not."""
    return ApiError(f"No such {kind}: '{id}'", status=status, code="resource_missing", param=param)
