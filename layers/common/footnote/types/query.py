"""`Query`: one text to search for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from footnote.types.vectors import Vector

QueryKind = Literal["original", "standalone", "sub_question", "paraphrase", "hypothetical", "step_back", "feedback"]
"""original = the question as it was asked, standalone = the question rewritten to need no conversation, sub_question = a part of it. The
others only find evidence: paraphrase = other words, hypothetical = a text that could answer it, step_back = the more general question,
feedback = its words and those of the first hits."""
ASKED: tuple[QueryKind, ...] = ("original", "standalone", "sub_question")
"""The kinds that are answered, cached and checked."""
MOST_DERIVED = 0.5
"""Weight of all queries together that only find evidence, and of those of a kind without a weight of its own. With more, texts about
something else that agree with each other outweigh the question."""
LONGEST_QUERY = 400
"""Characters of a query that a model writes, and of others that are made from a question."""


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, with its language and vector."""

    text: str
    kind: QueryKind = "original"
    weight: float = 1.0
    """Weight of its results relative to those of the turn's other queries."""
    lang: str = "en"
    vector: Vector | None = field(default=None, compare=False)
    embedder: str = ""
    """The name of the embedder that computed `vector`."""
