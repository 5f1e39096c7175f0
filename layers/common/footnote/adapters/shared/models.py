"""Errors of a language model that decide whether a call is repeated."""

from __future__ import annotations

from footnote.errors import ModelUnavailable


class ModelRefused(ModelUnavailable):
    """A permanent error: a wrong key, model or request. A retry would fail in the same way."""


class ModelBusy(ModelUnavailable):
    """The endpoint is over its rate limit. `retry_after_s`: the wait that it asks for, 0 = it names none."""

    def __init__(self, detail: str, retry_after_s: float = 0.0) -> None:
        super().__init__(detail)
        self.retry_after_s = retry_after_s


class ModelExhausted(ModelUnavailable):
    """The model's quota at the endpoint is used up, which no retry changes. Other models of the endpoint may answer."""
