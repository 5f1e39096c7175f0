"""What experiments store: their state, and the arm that a turn was given."""

from __future__ import annotations

from typing import Literal, TypedDict

State = Literal["DRAFT", "RUNNING", "STOPPED"]
"""The state of an experiment."""


class StoredAssignment(TypedDict):
    """An `Assignment` in a stored turn."""

    id: str
    name: str
    arm: str
    period: int
    shares: dict[str, float]
