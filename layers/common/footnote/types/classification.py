"""What kind of question is asked, and the names of the ways to search for an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from footnote.types.documents import ChunkLevel

Intent = Literal["FACTUAL", "SUMMARY", "COMPARISON", "LIST", "ANALYTICAL"]
"""What the answer is to be: a fact, a summary, a comparison, all of several things, or reasons and consequences."""
QuestionType = Literal["factual", "comparative", "procedural", "relational", "aggregative", "temporal"]
"""What has to be found: a fact, two things to compare, steps, how things are connected (causes among them), many passages, or when
something is."""
MessageKind = Literal["question", "follow_up", "about_answer", "collection", "greeting", "thanks", "task"]
"""What somebody wrote: `about_answer` = about the last answer or what was said; `collection` = about all documents; `thanks` = or a
goodbye; `task` = something that no document is needed for."""
SMALL_TALK: frozenset[MessageKind] = frozenset({"greeting", "thanks"})

Strategy = Literal["DENSE_ONLY", "HYBRID", "FUSION", "TWO_STAGE", "HIERARCHICAL"]
"""How an answer is searched for, from the cheapest: by vectors; by words, too; by further queries, too; many passages in two stages;
whole documents."""
EntityKind = Literal["name", "number", "date"]


@dataclass(frozen=True, slots=True)
class Entity:
    """A name, number or date in a question, as it is written there."""

    kind: EntityKind
    text: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What suits an intent. `suggested_top_k`: least number of passages, where the request names none. `use_mmr`: prefer passages that
    differ, from level enhanced on. `use_cot`: let the model think step by step, where the plan has it. `use_kg_enhancement`: every
    strategy keeps the option `graph`. `prompt_template`: the name of the form that the answer should have."""

    suggested_top_k: int
    prompt_template: str
    use_mmr: bool = False
    use_cot: bool = False
    use_kg_enhancement: bool = False


HINTS: Mapping[Intent, Hints] = {
    "FACTUAL": Hints(5, "factual"),
    "SUMMARY": Hints(12, "summary", use_mmr=True),
    "COMPARISON": Hints(12, "comparison", use_mmr=True, use_cot=True, use_kg_enhancement=True),
    "LIST": Hints(15, "list"),
    "ANALYTICAL": Hints(12, "analytical", use_cot=True, use_kg_enhancement=True),
}

CHUNK_LEVELS: Mapping[QuestionType, tuple[ChunkLevel, ...]] = {
    "factual": (2,),
    "comparative": (1, 2),
    "procedural": (1, 2),
    "relational": (1, 2),
    "aggregative": (0, 1, 2),
    "temporal": (2,),
}
"""The chunk levels to search for a type, if the request names none."""


@dataclass(frozen=True, slots=True)
class Classification:
    """What kind of question is asked, and what decided it."""

    intent: Intent = "FACTUAL"
    type: QuestionType = "factual"
    entities: tuple[Entity, ...] = ()
    is_multi_hop: bool = False
    """The answer needs something that has to be found first."""
    because: str = "rules"
    confidence: float = 0.0
    """How sure the intent and the type are, 0..1."""

    @property
    def hints(self) -> Hints:
        """What suits the intent."""
        return HINTS[self.intent]

    @property
    def levels(self) -> tuple[ChunkLevel, ...]:
        """The recommended chunk levels; those that a request names win."""
        return CHUNK_LEVELS[self.type]
