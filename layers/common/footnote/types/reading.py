"""`Reading`: what a question asks, as the steps of `understand` found it. Kinds of questions, and names of search strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Literal

from footnote.types.documents import ChunkLevel

Intent = Literal["FACTUAL", "SUMMARY", "COMPARISON", "LIST", "ANALYTICAL"]
"""The form of the answer: a fact, a summary, a comparison, all of several things, or reasons and consequences."""
QuestionType = Literal["factual", "comparative", "procedural", "relational", "aggregative", "temporal"]
"""The information to find: a fact, two things to compare, steps, connections (causes among them), many passages, or a time."""
MessageKind = Literal["question", "follow_up", "about_answer", "collection", "greeting", "thanks", "task"]
"""The kind of a message: `about_answer` = about the last answer or the conversation; `collection` = about all documents; `thanks` = or a
goodbye; `task` = needs no document."""
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
    """Recommendations for an intent. `suggested_top_k`: minimum number of passages, if the request sets none. `use_mmr`: prefer passages
    that differ, from level enhanced on. `use_cot`: let the model think step by step, if the plan has it. `use_kg_enhancement`: every
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
    """The kind of a question, and what decided it."""

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
        """The recommendations for the intent."""
        return HINTS[self.intent]

    @property
    def levels(self) -> tuple[ChunkLevel, ...]:
        """The recommended chunk levels; levels in a request win."""
        return CHUNK_LEVELS[self.type]


AskedType = Literal["number", "date", "person", "place", "reason", "yes-no", "how-to", "definition", "list"]
"""The kind of answer. how-to: steps. definition: a sentence that defines something. list: several things."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days from `first` to before `end`; None = open."""

    first: date | None = None
    end: date | None = None


@dataclass(frozen=True, slots=True)
class AttachedFiles:
    """The files attached to a conversation, if the question is about them alone."""

    documents: int
    """Their number."""
    whole: bool = False
    """The question is about their whole content."""
    named: str = ""
    """The question with the words that name the files, for a model's prompt; “” = the searched question."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a question, if it is limited."""

    collection: bool = False
    """The documents of the collection as a whole."""
    attached: AttachedFiles | None = None
    period: Period | None = None
    """The time that the question names, if only its documents are searched."""


@dataclass(frozen=True)
class Reading:
    """What a question asks. The steps of `understand` fill it, and the last of them, `read_question`, reads the text to answer; so does a
    search, before it begins."""

    question: str = ""
    """The text that was read, `Turn.asked` or a part of it; “” = none, and type and parts are unknown."""
    lang: str = "en"
    """Its language."""
    asked_type: AskedType | None = None
    """The kind of answer; None = something else."""
    parts: tuple[Reading, ...] = ()
    """The reading of each of several questions, in the order of `Turn.answered`; () = there is one."""
    classification: Classification | None = None
    """What kind of question it is; None = not classified."""
    scope: Scope = Scope()
    """Its scope."""
    divided: str = ""
    """The message before it was divided into questions; “” = it is one question."""
    unknown_words: tuple[str, ...] = ()
    """Words that no document has and that could not be corrected."""
