"""`Request`, one question and its options, and `Profile`, the behaviour of the API through which it came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from footnote.types.collections import ATTACHED
from footnote.types.conditions import ANYTHING, Conditions
from footnote.types.documents import Chunk, ChunkLevel
from footnote.types.plan import IntelligenceLevel, OptionName
from footnote.types.retrieval import Retriever

Mode = Literal["rag", "gpt", "pa", "vision"]
"""What answers: rag = the documents, gpt = a model from the conversation alone, pa = a model with tools (an agent), vision = a
model that reads images. Stored as `search_type`."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """How much is added around the best hits by the option `expand_documents`."""

    documents: int = 3
    """Most documents."""
    chunks: int = 20
    """Most passages of each."""
    least_score: float = 0.3
    """The lowest score of a hit whose document is expanded, 0..1."""


@dataclass(frozen=True, slots=True)
class Request:
    """One question with its options. Every API converts its requests into this type."""

    question: str
    collection: str = ""
    """“” = the configured default."""
    mode: Mode = "rag"
    asked_mode: Mode | None = None
    """The mode that was asked for, if another one answers: the turn is stored, remembered and counted under it; None = `mode`."""
    retriever: Retriever | None = None
    """None = the profile's, or that of an experiment's arm."""
    limit: int | None = None
    """None = the profile's, or the strategy's if the profile is `routed`."""
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Metadata field → accepted values; all fields must match."""
    conditions: Conditions = ANYTHING
    """Further conditions on the metadata."""
    levels: tuple[ChunkLevel, ...] | None = None
    """Chunk levels; None = passages, or what suits the question if the profile is `routed`."""
    alpha: float | None = None
    """Weight of the dense list, 0..1, where the embedder supports the language; None = the configured one."""
    threshold: float | None = None
    """The lowest relevance of a passage, 0..1, where passages are verified; None = the configured one."""
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    """None = the value of the profile or of the settings."""
    room_id: str | None = None
    """The conversation; None = the question stands alone."""
    is_test: bool = False
    """If true, nothing is stored or counted."""
    replays: str | None = None
    """The trace id of the stored turn that is asked again, in the conversation before it: a test that its caller's budget pays for."""
    tool_scope: str = ""
    """The organisation whose tools an agent may use."""
    ask_kdb: bool = False
    """Whether an external knowledge base is searched before the index."""
    images: tuple[str, ...] = ()
    """URLs or `data:` URIs, as given."""
    attached: str = ""
    """Text that the client sent with the question, such as the content of a file. The model reads it as reference material. It is
    neither searched nor stored."""
    first_number: int = 1
    """The number of the first citation: a client may show its own sources before them."""
    level: IntelligenceLevel | None = None
    """How much work to spend on the answer; None = the default."""
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    """Options that the request switches on or off."""
    expansion: Expansion = Expansion()
    link_origin: str | None = None
    """The origin of this server, if citations in the answer's text are to be links; None = markers only."""

    @property
    def search_type(self) -> Mode:
        """The mode that the turn is stored, remembered and counted under."""
        return self.asked_mode or self.mode

    def admits(self, chunk: Chunk) -> bool:
        """Whether the chunk meets the conditions, which are for documents of the collection: an attached file is searched anyway."""
        return chunk.collection == ATTACHED or self.conditions.match(chunk.metadata)


@dataclass(frozen=True, slots=True)
class Profile:
    """The behaviour that a dialect wants from the core. Steps read this and never check which API is calling."""

    name: str
    """A label that is stored with the turn. Histories and caches of different APIs are kept apart by it; no step branches on it."""
    live: bool
    """True: tokens are streamed as they are generated. False: the text is sent after the checks."""
    citation_style: str
    """A key of answer/citation_styles.STYLES."""
    prompt: str
    """The name of the system prompt, e.g. `answer_footnote`."""
    limit: int = 5
    retriever: Retriever = "cc"
    routed: bool = False
    """True: the strategy chooses the limit and the chunk levels that a request leaves open."""
    candidates: int = 0
    """Entries to take from each list of a search, where nobody configured their number; 0 = the default."""
    pool_size: int = 0
    """Number of passages to fetch where something ranks them; 0 = as many as the options that rank want."""
    facts_by_vectors: bool = False
    """True: short questions for a fact are searched for by vectors alone."""
    temperature: float | None = None
    max_tokens: int | None = None
    quotes_first: bool = False
    """True: what is quoted without a model is shown until the model's answer comes. Only for live answers."""
    first_token_s: float | None = None
    """Longest wait for the first piece of a model's answer, if nobody configured one; None = that for the whole answer."""
    context_tokens: int = 3500
    fixed_context: bool = False
    """True: somebody configured `context_tokens`, so the model's window does not change them."""
    least_share: float = 0.0
    """The lowest score of a passage that a model is shown, as a share of the best one's; 0 = as many passages as fit."""
    nothing_found: str | None = None
    """The message of a turn without hits; None = advice to rephrase, or that there is nothing that the caller may read."""
    history: int = 0
    """Number of exchanges of the room that are loaded; 0 = its conversation is not stored."""
    understood_by: int = 4
    """Number of earlier exchanges by which a follow-up is understood. The model that answers is shown as many as fit."""
    room_prompt: bool = False
    """True: the system prompt of a room's first turn stays in force in the room."""
    search_cache_s: float = 0
    """How long search results may be reused for the same or a similar question."""
    answer_cache_s: float = 0
    """How long an answer may be reused."""
    question_prompt: str | None = None
    """The name of the prompt that combines documents and question; None = they are in separate messages, system and user."""
    options: Mapping[OptionName, bool] = field(default_factory=dict)
    """Options that this API sets differently from the default."""
    settings: tuple[OptionName, ...] = ()
    """Options that a setting outside of the groups decides, in this API only."""
