"""Errors of embedders, worded alike for every provider."""

from __future__ import annotations

from footnote.errors import ModelUnavailable


def wrong_length(model: str, returned: str, wanted: int) -> ModelUnavailable:
    """The model returns vectors of another length than is configured. `returned`: its length, or a choice of them."""
    return ModelUnavailable(f"The embedding model {model} returns vectors of length {returned}, not {wanted}. Set EMBEDDING__DIMENSION.")


def malformed(model: str) -> ModelUnavailable:
    """The reply doesn't hold one vector per text."""
    return ModelUnavailable(f"The embedding model {model} returned an unexpected response instead of vectors.")
