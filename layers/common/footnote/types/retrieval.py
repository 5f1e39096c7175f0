"""What is asked of an index, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from footnote.types.conditions import ANYTHING, Conditions
from footnote.types.documents import Level

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Retriever = Literal["cc", "rrf", "bm25", "knn"]
"""cc = convex combination of min-max scores, rrf = reciprocal rank fusion; the others are one list."""


@dataclass(frozen=True, slots=True)
class Search:
    """What an index is asked: `vector` None = the lexical list only, `text` "" = the dense list only."""

    collection: str
    text: str = ""
    lang: str = "en"
    """The language that `text` is tokenised in."""
    vector: npt.NDArray[np.float32] | None = None
    embedder: str = ""
    """Who made `vector`; only vectors of the same embedder are compared."""
    languages: frozenset[str] | None = None
    """Those whose chunks get vectors of this embedder; None = all."""
    limit: int = 100
    """Entries per list."""
    levels: tuple[Level, ...] = (2,)
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metadata field → accepted values; all fields must match."""
    conditions: Conditions = ANYTHING
    """What else the metadata must be like."""


class Candidate(NamedTuple):
    """A tuple, as `Ranked` is: a search makes hundreds of them, and a frozen dataclass costs four times as much."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """An index's answer: two lists, best first, not fused. Scores are the engine's own (higher = better)."""

    lexical: tuple[Candidate, ...] = ()
    dense: tuple[Candidate, ...] = ()
    coverage: float = 1.0
    """Share of the chunks that were searched and get vectors that have theirs already, 0..1. 1 where there are none, or no
    vector was asked for."""
    bare: frozenset[str] = frozenset()
    """Chunks in `lexical` without a vector: `dense` could not have held them."""


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """A chunk's sentences: character bounds in its text, and one int8 vector each (value = int8 / 127)."""

    bounds: tuple[tuple[int, int], ...]
    vectors: npt.NDArray[np.int8] | None = None
    passage: npt.NDArray[np.float32] | None = None
    """The chunk's own vector."""
