"""Search results of a turn: lists of candidates, their fused ranking, and the chunks that the caller may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from footnote.types.collections import KNOWLEDGE, KnowledgeKind
from footnote.types.documents import Chunk
from footnote.types.plan import OptionName
from footnote.types.retrieval import Candidate, Candidates

FURTHER: tuple[KnowledgeKind, ...] = KNOWLEDGE
"""Sources of lists beside words and vectors; each is an option of its name."""
BY_DOCUMENT: OptionName = "documents_first"
"""The source of the list of the best documents' passages, and its option."""
BY_RANK: tuple[OptionName, ...] = (*FURTHER, BY_DOCUMENT)
"""Sources of lists whose ranks count, not their scores."""


@dataclass(frozen=True, slots=True)
class RankedList:
    """The results of one source for one query, best first. Scores are on the source's own scale (higher = better)."""

    source: str
    """`bm25`, `cosine`, or one of `BY_RANK`: the key of the score in `Hit.scores`."""
    query: str
    """The text of the query."""
    items: tuple[Candidate, ...] = ()
    coverage: float = 1.0
    """Share of the searched chunks that this source could return, 0..1. It is below 1 while vectors are still being computed."""
    absent: frozenset[str] = frozenset()
    """Chunks of the query's other lists that this source could not return."""


def lists_of(query: str, candidates: Candidates) -> tuple[RankedList, RankedList]:
    """The lexical and the dense list of an index's reply to one query."""
    return RankedList("bm25", query, candidates.lexical), RankedList(
        "cosine", query, candidates.dense, candidates.coverage, candidates.bare
    )


class Fact(NamedTuple):
    """A connection between things, in words, and the passage that it is from."""

    text: str
    chunk_id: str


HYBRID = "hybridScore"
"""The key in `Hit.scores` of the score that a hit had before it was reranked."""


class Ranked(NamedTuple):
    """A fused entry with `score` 0..1 and the text of the query that it scored best for. A tuple, because a search makes hundreds."""

    chunk_id: str
    score: float
    query: str = ""


@dataclass(frozen=True)
class Hit:
    """A chunk that this caller may read, with its scores. `score` is 0..1 after min-max fusion."""

    chunk: Chunk
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores by source: `bm25` and `cosine` of the lists that contained it, and those of rerankers."""


@dataclass(frozen=True, slots=True)
class FeedbackHints:
    """Words from feedback on earlier answers to the same question or similar ones."""

    good: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """Documents of the collection that could not be searched, as its caller may know of them."""

    reading: int = 0
    """How many are being read."""
    documents: int = 0
    """Their number, including those that can be searched."""
    failed: int = 0
    """How many could not be read."""
    is_said: bool = False
    """The answer mentions that documents are being read."""


@dataclass(frozen=True)
class Evidence:
    """Everything that a turn has found so far, from candidate lists to the hits that it cites."""

    lists: tuple[RankedList, ...] = ()
    lists_missing: tuple[str, ...] = ()
    """Requested lists that were left out, because they failed or were late: by source, or by kind of a derived query."""
    list_ms: Mapping[str, float] = field(default_factory=dict)
    """Source → the milliseconds that its slowest list took."""
    ranked: tuple[Ranked, ...] = ()
    """The fused lists, best first; permissions have not been checked yet."""
    facts: tuple[Fact, ...] = ()
    """Connections between passages of the lists. The caller may read each fact's passage."""
    pool: tuple[Hit, ...] = ()
    """The first of these that the caller may read: the input of rerankers."""
    hits: tuple[Hit, ...] = ()
    """The passages that the answer is written from and cites."""
    judged: int = 0
    """How many of the hits a model has judged."""
    added: tuple[Hit, ...] = ()
    """Further passages of their documents, for a model to read; no results of the search."""
    shown: tuple[Hit, ...] = ()
    """The hits and added passages that a model was shown, in the order of the prompt; () = the hits."""
    closed: bool = False
    """True: another system answers for this collection and has no such collection, so its empty result is final."""
    hints: FeedbackHints | None = None
    """None = no feedback, or not looked for."""
    unread: Unread | None = None
    """None = not looked for."""

    @property
    def sources(self) -> tuple[Hit, ...]:
        """The hits, then the added passages."""
        return (*self.hits, *self.added)

    @property
    def citable(self) -> tuple[Hit, ...]:
        """The passages that a model's answer can cite, by their position in the prompt."""
        return self.shown or self.hits

    @property
    def is_complete(self) -> bool:
        """Whether the index need not be searched: passages were found before, or an empty result is final."""
        return self.closed or bool(self.hits)

    def lists_for(self, query: str) -> tuple[RankedList, ...]:
        """The lists of one query; () = it has not been searched yet."""
        return tuple(ranking for ranking in self.lists if ranking.query == query)

    @property
    def vectors_pending(self) -> bool:
        """Whether some of the searched passages have no vector yet, so that dense retrieval cannot find them."""
        return any(ranking.coverage < 1 for ranking in self.lists)
