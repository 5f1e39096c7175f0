"""`Answer`, its citations and excerpts, and the messages sent to a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from footnote.types.documents import Chunk
from footnote.types.evidence import Hit

Cut = Literal["length", "content_filter", "repetition", "stopped"]
"""Why a model's reply is incomplete: the token limit, the provider's content filter, a loop that was ended, or a reader who stopped it or
left."""
CUT_WARNINGS: Mapping[Cut, str] = {
    "length": "cut_length",
    "content_filter": "cut_content_filter",
    "repetition": "repetition",
    "stopped": "stopped",
}
"""The warnings shown beside such an answer."""

Flaw = Literal["empty", "repetition", "preamble", "other_language", "uncited", "unfounded"]
"""Why a model's text is no answer. empty: it has no words. repetition: a loop, which was ended. preamble: it announces an answer that does
not follow, or repeats the question. other_language: it is in another language than the question. uncited: it cites no passage. unfounded:
the passages that it cites do not support it."""
FLAWS: frozenset[str] = frozenset(get_args(Flaw))

Tier = Literal["answer", "closest", "nothing"]
"""answer: the text answers the question. closest: it does not; the closest passages are shown, with their best sentence marked.
nothing: no passage is close."""
Reason = Literal["sure", "likely", "unsure", "lacks_code", "unrelated"]
"""sure: an excerpt answers. likely: one may well. unsure: none is likely to. lacks_code: one would answer, but it lacks a code or version
of the question. unrelated: the question has nothing to do with the collection."""
ExcerptKind = Literal["paragraph", "list", "table", "code", "caption"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why an extractive answer has its tier (`answer.verdict`)."""

    tier: Tier
    because: Reason
    score: float = 0.0
    """The probability that the best excerpt answers."""
    answer_from: float = 0.0
    """The lowest score of an answer."""
    related: float = 0.0
    """How much the question has to do with the collection, 0 to 1."""
    closest_from: float = 0.0
    """The lowest value of `related` at which passages are shown."""
    missing: tuple[str, ...] = ()
    """Words of the question that occur in none of the examined passages."""
    reasons: tuple[str, ...] = ()
    """The strongest reasons for (+) and against (-) the best excerpt: groups of features, strongest first."""

    @property
    def is_judged(self) -> bool:
        """Whether an excerpt was judged. An overview has none that answers."""
        return self.answer_from > 0


QuoteState = Literal["found", "misattributed", "stitched", "not_found"]
"""Where a quote is. found: in the cited passage. misattributed: in another one shown to the model. stitched: only its parts are, in one
passage and in order. not_found: none of these."""


@dataclass(frozen=True, slots=True)
class QuotedWords:
    """The words that a model names as the evidence of a cited sentence, looked up (`answer.quote_gate`)."""

    text: str
    state: QuoteState
    bounds: tuple[int, int] | None = None
    """(start, end) in the cited passage's text; None = they are not in it."""


@dataclass(frozen=True)
class Citation:
    """A passage that the answer cites, independent of how a dialect renders it."""

    number: int
    hit: Hit
    snippet: str
    """The sentence or passage that supports the claim, verbatim from the chunk."""
    page: int | None = None
    """The page of the snippet."""
    bounds: tuple[tuple[int, int], ...] = ()
    """(start, end) of the cited sentences in the chunk's text; the first is the snippet."""
    spans: tuple[tuple[int, int], ...] = ()
    """(start, end) of this citation's markers in the answer's text."""
    is_added: bool = False
    """The model did not cite the passage; the check found that it supports a sentence."""
    quotes: tuple[QuotedWords | None, ...] = ()
    """One for each of `spans`, None where the model gave none; () = it was not asked."""


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """Sentences of a passage, by their bounds in its text."""

    chunk: Chunk
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of a model's answer, checked (`answer.support`). `start`, `end`: its place in the answer's text."""

    start: int
    end: int
    support: float | None
    """The probability that the passages support it, 0 to 1; None = it cannot be checked."""
    is_doubted: bool = False
    place: EvidenceSpan | None = None
    """What supports it best of the passages that it cites, or of others where these do not or it cites none."""


ConfidenceLevel = Literal["low", "medium", "high"]
HIGH, MEDIUM = 0.556, 0.3
"""Scores from which a confidence is high, and medium: those from which an excerpt is called an answer, and likely (`answer.verdict`)."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """How much an answer can be relied on (`answer.confidence`). Without one from documents everything is 0."""

    relevance: float = 0.0
    grounding: float = 0.0
    coverage: float = 0.0
    conflicts: bool = False
    sufficient: bool = False
    missing: tuple[str, ...] = ()

    @property
    def score(self) -> float:
        """relevance × grounding, 0..1."""
        return round(self.relevance * self.grounding, 3)

    @property
    def level(self) -> ConfidenceLevel:
        """The score in words; never high where the cited passages do not suffice or conflict."""
        return "high" if self.score >= HIGH and self.sufficient else "medium" if self.score >= MEDIUM else "low"


@dataclass(frozen=True)
class Answer:
    """The text that answers a question, with its citations."""

    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    """True when the sentences were taken from the documents, not written by a language model."""
    model: str | None = None
    warnings: tuple[str, ...] = ()
    cut: Cut | None = None
    """Why the text is incomplete; None = it is complete."""
    verdict: Verdict | None = None
    """Of an extractive answer; None for one that is taken from a FAQ."""
    confidence: Confidence | None = None
    """None = not assessed."""
    claims: tuple[Claim, ...] = ()
    """The sentences of a model's answer, once they are checked."""

    def claims_and_ends(self) -> Iterator[tuple[Claim, int]]:
        """Each claim with where the next one starts: markers before that are its own."""
        for at, claim in enumerate(self.claims):
            yield claim, self.claims[at + 1].start if at + 1 < len(self.claims) else len(self.text) + 1

    @property
    def unmarked(self) -> str:
        """The text with spaces in place of its markers, so that bounds stay."""
        text = self.text
        for citation in self.citations:
            for start, end in citation.spans:
                text = text[:start] + " " * (end - start) + text[end:]
        return text


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that a model requests. `arguments`: JSON as the model wrote it."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message sent to a language model, or its reply."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Only of role assistant."""
    tool_call_id: str | None = None
    """Only of role tool: the call whose result is `content`."""
    name: str | None = None
    images: tuple[str, ...] = ()
    """Only of role user: `data:` URIs."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of one passage that a reader would quote whole. Sentences are named by their number in the passage, from 0; an item of a list
    has one or several, a row of a table is one."""

    chunk_id: str
    block: int
    """The number of its first sentence's block among those of the passage."""
    kind: ExcerptKind
    lead: tuple[int, ...]
    """The sentences that introduce it; () = nothing does."""
    numbers: tuple[int, ...]
    """Its sentences that are shown, in order. Of a list or a table some between them may be missing; they count as `more_after`."""
    start: int
    """Where it begins in the passage, its lead included."""
    end: int
    more_before: int = 0
    """Sentences, items or rows of the block before it."""
    more_after: int = 0
    """The same, after its beginning."""

    @property
    def more(self) -> int:
        """How much of the block is not shown."""
        return self.more_before + self.more_after

    @property
    def every(self) -> tuple[int, ...]:
        """The sentences that are shown, with those that introduce it."""
        return (*self.lead, *self.numbers)
