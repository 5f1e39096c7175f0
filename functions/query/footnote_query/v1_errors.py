"""The body of errors under `/v1`."""

from __future__ import annotations

from pydantic import BaseModel


class ErrorDetail(BaseModel, defer_build=True):
    """An error in OpenAI's form."""

    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel, defer_build=True):
    """The body of an error response."""

    error: ErrorDetail
