"""What flows through the house: plain, frozen values. No I/O, no framework, no numpy at import.

A question becomes a `Turn`; every step takes a Turn and returns a new one. A file becomes a
`Document` with `Block`s, which are cut into `Chunk`s. Sizes are in bytes, times in seconds since
the epoch unless a name says `_ms`, pages count from 1, character offsets from 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

EVERYONE = "*"
"""The permission group that every caller belongs to."""

Level = Literal[0, 1, 2]
"""0 = a document's outline, 1 = a section's opening, 2 = a passage (what is cited)."""

Retriever = Literal["cc", "rrf", "bm25", "knn"]
"""cc = convex combination of min-max scores, rrf = reciprocal rank fusion; the others are one list."""

DocumentState = Literal["RECEIVED", "PROCESSING", "READY", "FAILED", "DELETED"]
Outcome = Literal["no_hits", "refused", "blocked"]
"""What settled a turn before its answer; None at the end = answered."""
Role = Literal["user", "admin"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. No document is read without one. `sees_all` is for the one local user only."""

    user_id: str
    groups: frozenset[str] = frozenset()
    sees_all: bool = False
    role: Role = "user"

    def narrowed(self, groups: tuple[str, ...]) -> Caller:
        """The same caller with at most these groups; no groups given = unchanged."""
        if not groups:
            return self
        wanted = frozenset(groups)
        kept = wanted if self.sees_all else wanted & self.groups
        return replace(self, groups=kept, sees_all=False)

    def may_read(self, permission_groups: frozenset[str]) -> bool:
        """True when a document with these groups is visible. No groups on a document = nobody."""
        if not permission_groups:
            return False
        return self.sees_all or EVERYONE in permission_groups or not self.groups.isdisjoint(permission_groups)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a list, newest first. `last_id` goes into the next call's `after`."""

    data: tuple[T, ...]
    has_more: bool = False
    last_id: str | None = None


# --- documents ---------------------------------------------------------------------------------

BlockKind = Literal["heading", "paragraph", "list", "table", "caption", "code", "image"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a parsed file, in reading order. `text` of a table is Markdown with its header row."""

    kind: BlockKind
    text: str
    level: int = 0
    """Depth of a heading, 1 = topmost; 0 for everything else."""
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser makes of a file."""

    blocks: tuple[Block, ...]
    title: str = ""
    pages: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage as the index keeps it. `chunk_id` is `doc_id|generation|ordinal`."""

    chunk_id: str
    doc_id: str
    generation: int
    ordinal: int
    level: Level
    title: str
    text: str
    lang: str
    collection: str
    headings: tuple[str, ...] = ()
    page: int | None = None
    """Where it begins."""
    page_starts: tuple[tuple[int, int], ...] = ()
    """(offset in `text`, page): a passage may run over several pages."""
    kind: BlockKind = "paragraph"
    permission_groups: frozenset[str] = frozenset()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = 0.0

    def page_at(self, offset: int) -> int | None:
        """The page that holds the character at `offset`."""
        return next((page for start, page in reversed(self.page_starts) if start <= offset), self.page)

    @property
    def public_id(self) -> str:
        """The id that APIs show, `DOC#000`: it does not change with the generation."""
        return f"{self.doc_id}#{self.ordinal:03d}"


def make_chunk_id(doc_id: str, generation: int, ordinal: int) -> str:
    return f"{doc_id}|{generation}|{ordinal}"


def chunks_digest(chunks: Iterable[tuple[str, str]]) -> str:
    """SHA-256 over (chunk id, text) by ordinal: what was meant to be stored against what is there."""
    sha = hashlib.sha256()
    for chunk_id, text in chunks:
        sha.update(f"{chunk_id}\0{text}\0".encode())
    return sha.hexdigest()


@dataclass(frozen=True, slots=True)
class Document:
    """One row of the ledger: a source file and what became of it."""

    doc_id: str
    title: str
    collection: str
    file_name: str
    state: DocumentState
    content_hash: str
    size: int
    permission_groups: frozenset[str]
    generation: int = 0
    """The generation that is being made or was made last; counts from 1, 0 = none yet."""
    active_generation: int = 0
    """The generation that answers; 0 = none."""
    reason: str | None = None
    remedy: str | None = None
    pages: int | None = None
    chunks: int = 0
    lang: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    created_at: float = 0.0
    updated_at: float = 0.0


# --- retrieval ---------------------------------------------------------------------------------


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
    limit: int = 100
    """Entries per list."""
    levels: tuple[Level, ...] = (2,)
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metadata field → accepted values; all fields must match."""


class Candidate(NamedTuple):
    """A tuple, as `Ranked` is: a search makes hundreds of them, and a frozen dataclass costs four times as much."""

    chunk_id: str
    score: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """An index's answer: two lists, best first, not fused. Scores are the engine's own (higher = better)."""

    lexical: tuple[Candidate, ...] = ()
    dense: tuple[Candidate, ...] = ()
    coverage: float = 0.0
    """Share of the searchable chunks that have a vector, 0..1."""


class Ranked(NamedTuple):
    """A fused entry, `score` 0..1, with the scores it came from (None = not in that list)."""

    chunk_id: str
    score: float
    bm25: float | None
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk with its place in the result. `score` is 0..1 after min-max fusion."""

    chunk: Chunk
    score: float
    bm25: float | None = None
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """A chunk's sentences: character bounds in its text, and one int8 vector each (value = int8 / 127)."""

    bounds: tuple[tuple[int, int], ...]
    vectors: npt.NDArray[np.int8] | None = None
    passage: npt.NDArray[np.float32] | None = None
    """The chunk's own vector."""


# --- the answer --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the answer leans on. Neutral: each dialect shows it in its own form."""

    number: int
    hit: Hit
    snippet: str
    """The sentence or passage that supports the claim, as it stands in the chunk."""
    page: int | None = None
    """Where the snippet stands."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where this citation's markers stand in the answer's text."""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    """True when the sentences were picked from the documents and no language model wrote them."""
    model: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Span:
    """How long a step took. `status`: ok, skipped (its error was survived), failed, late or fallback."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a dialect asks of the core. Steps read this; none asks which API is calling."""

    name: str
    """Written to the stored turn; never compared."""
    live: bool
    """True: tokens go out as they are made. False: the text follows the checks."""
    citation_style: str
    """A key of answer/citation_styles.STYLES."""
    prompt: str
    """The prompt's name, e.g. `answer_footnotes`."""
    limit: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    first_token_s: float = 120.0
    total_s: float = 120.0
    context_tokens: int = 3500
    reject_uncited: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One question on its way through the rooms. Steps return `turn.with_(…)`, never change it."""

    trace_id: str
    caller: Caller
    profile: Profile
    question: str
    collection: str
    retriever: Retriever = "cc"
    limit: int = 5
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    levels: tuple[Level, ...] = (2,)
    model: str | None = None
    room_id: str | None = None
    lang: str = "en"
    vector: npt.NDArray[np.float32] | None = None
    embedder: str = ""
    """Who made `vector`."""
    candidates: Candidates = Candidates()
    ranked: tuple[Ranked, ...] = ()
    hits: tuple[Hit, ...] = ()
    messages: tuple[Message, ...] = ()
    answer: Answer | None = None
    outcome: Outcome | None = None
    degraded: bool = False
    persisted: bool = False
    usage: Usage = Usage()
    spans: tuple[Span, ...] = ()
    started_at: float = 0.0

    def with_(self, **changes: Any) -> Turn:
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Feedback:
    trace_id: str
    user_id: str
    rating: Literal["up", "down"]
    reason: str | None = None
    proposed_answer: str | None = None
    selected_citations: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: float = 0.0
