"""`Arm`, a variant of the plan that an experiment tries, and `Assignment`, the arm that a turn was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypedDict

from footnote.types.reading import Strategy
from footnote.types.retrieval import Retriever

if TYPE_CHECKING:
    from footnote.types.plan import IntelligenceLevel, OptionName

State = Literal["DRAFT", "RUNNING", "STOPPED"]
"""The state of an experiment."""


@dataclass(frozen=True, slots=True)
class Arm:
    """The changes of an arm to a turn's plan; None and empty = unchanged. An arm without changes is a control."""

    name: str
    level: IntelligenceLevel | None = None
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    retriever: Retriever | None = None
    strategy: Strategy | None = None
    alpha: float | None = None
    """Weight of the dense list, 0..1; BM25 has the rest."""
    prompts: Mapping[str, int] = field(default_factory=dict)
    """`<name>.<language>` → the version of the saved prompt to use; 0 = the packaged one."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """The arm of a turn. `experiment_id`: unique, also when an experiment is deleted and another gets its name."""

    experiment_id: str
    name: str
    arm: Arm
    period: int
    """Number of the period of the shares; a user keeps the arm within it."""
    shares: Mapping[str, float]
    """Arm → the probability, 0..1, with which it was drawn; their sum is 1."""


class StoredAssignment(TypedDict):
    """An `Assignment` in a stored turn."""

    id: str
    name: str
    arm: str
    period: int
    shares: dict[str, float]
