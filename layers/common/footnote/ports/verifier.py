"""Verifiers: models that say whether passages support a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim of an answer. `start`, `end`: the place of its sentence in the answer; `passages`: the texts to check it against."""

    claim: str
    start: int
    end: int
    passages: tuple[str, ...]


class Verifier(Protocol):
    """Judges the claims of an answer."""

    async def verify(self, question: str, answer: str, statements: Sequence[Statement]) -> Sequence[bool | None]:
        """For each statement, in their order, whether its passages support it; None = the model could not say. `question` may be empty.
        Unavailable if there is no usable reply in time."""

    async def close(self) -> None:
        """Closes connections."""
