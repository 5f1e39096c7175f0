"""Which parts of a turn run, and by whose decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Allowance = Literal["full", "cheaper", "search"]
"""What of a user's daily budget is left: everything, a cheaper model, search results only."""


@dataclass(frozen=True, slots=True)
class Plan:
    model: str | None = None
    """The language model that answers; None = none does."""
    allowance: Allowance = "full"
