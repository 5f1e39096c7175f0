"""`Search`, the request to an index, and `Candidates`, its reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from footnote.types.conditions import ANYTHING, Conditions
from footnote.types.documents import ChunkLevel

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Retriever = Literal["cc", "rrf", "bm25", "knn"]
"""cc = convex combination of min-max scores, rrf = reciprocal rank fusion; bm25 and knn use one list only."""


@dataclass(frozen=True, slots=True)
class Search:
    """A search of an index. `vector` None = the lexical list only, `text` "" = the dense list only."""

    collection: str
    text: str = ""
    lang: str = "en"
    """The language of `text`."""
    vector: npt.NDArray[np.float32] | None = None
    embedder: str = ""
    """The name of the embedder that computed `vector`; only vectors of the same embedder are compared."""
    languages: frozenset[str] | None = None
    """The languages whose chunks this embedder embeds; None = all."""
    limit: int = 100
    """Entries per list."""
    levels: tuple[ChunkLevel, ...] = (2,)
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metadata field → accepted values; all fields must match."""
    conditions: Conditions = ANYTHING
    """Further conditions on the metadata."""
    spoken: frozenset[str] = frozenset()
    """The languages of the passages, in whose forms the words of `text` are searched for, too."""

    @property
    def needs_all_levels(self) -> bool:
        """Whether it compares vectors of other chunks than passages."""
        return self.vector is not None and set(self.levels) != {2}


class Candidate(NamedTuple):
    """A chunk found by an index. A tuple, because a search makes hundreds and a frozen dataclass costs four times as much."""

    chunk_id: str
    score: float
    foreign: bool = False
    """In another language than the query."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """An index's reply: two lists, best first, not fused. Scores are on the engine's own scale (higher = better)."""

    lexical: tuple[Candidate, ...] = ()
    dense: tuple[Candidate, ...] = ()
    coverage: float = 1.0
    """Share of the searched, embeddable chunks that already have a vector, 0..1. 1 if there are none or the search had no vector."""
    bare: frozenset[str] = frozenset()
    """Chunks in `lexical` without a vector, which `dense` could not contain."""
    missing: frozenset[str] = frozenset()
    """Lists that were searched for and were late, by their source: `bm25`, `cosine`."""
    ms: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Source → the time in milliseconds that its list took, if each list has a request of its own."""


@dataclass(frozen=True, slots=True)
class ChunkSentences:
    """The sentences of a chunk, with the values compared with a question."""

    bounds: tuple[tuple[int, int], ...]
    """(start, end) of each sentence in the chunk's text."""
    vectors: npt.NDArray[np.int8] | None = None
    """One for each sentence (value = int8 / 127); None if they are not made yet."""
    passage: npt.NDArray[np.float32] | None = None
    """The chunk's own vector; None if it is not made yet."""
    terms: tuple[str, ...] = ()
    """`text.tokens.content_terms` of each sentence in order, joined by a space."""
    heading_terms: str = ""
    """The same of the title and the headings."""
