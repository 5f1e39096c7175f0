"""The data types of the core: plain, frozen values. No I/O, no framework, no numpy at import.

A question becomes a `Turn`; every step takes a Turn and returns a new one. A file becomes a
`Document` with `Block`s, which are split into `Chunk`s. Sizes are in bytes, times in seconds since
the epoch unless a name ends in `_ms`, pages count from 1, character offsets from 0.
"""

from __future__ import annotations

from footnote.types.answer import Answer, Citation, Cut, Message, Reason, Tier, ToolCall, Verdict
from footnote.types.caller import ADMINS, EVERYONE, Caller, Page, Role
from footnote.types.classification import CHUNK_LEVELS, HINTS, Classification, Entity, EntityKind, Hints, Intent, QuestionType, Strategy
from footnote.types.conditions import Condition, Conditions, Operator
from footnote.types.documents import (
    EXTERNAL_IDS,
    UNKNOWN_LANGUAGE,
    Block,
    BlockKind,
    Chunk,
    ChunkLevel,
    Document,
    DocumentState,
    Parsed,
    Part,
    Place,
    Unit,
    chunks_digest,
    make_chunk_id,
)
from footnote.types.evidence import HYBRID, Evidence, Hit, Ranked, RankedList, lists_of
from footnote.types.feedback import Feedback
from footnote.types.language_models import ModelTier, size_of, tier_of_model, window_of
from footnote.types.plan import LEVELS, OPTIONS, Allowance, Choice, IntelligenceLevel, Option, OptionName, Plan
from footnote.types.query import ASKED, Query, QueryKind
from footnote.types.record import NO_MODEL, ModelCall, ModelSource, ModelUsage, Record, SourceState, Span, Usage, usage_by_model, usage_of
from footnote.types.request import Expansion, Mode, Profile, Request
from footnote.types.retrieval import Candidate, Candidates, ChunkSentences, Retriever, Search
from footnote.types.stages import Stage
from footnote.types.turn import Conversation, Exchange, Outcome, Turn, begin_turn
from footnote.types.turn_figures import Ended, TurnFigures, TurnMetrics
from footnote.types.turn_record import (
    Status,
    StoredHit,
    StoredMessage,
    StoredModelSource,
    StoredModelUsage,
    StoredPassage,
    StoredReference,
    StoredSpan,
    StoredToolCall,
    StoredUsage,
    StoredVerdict,
    TurnRecord,
)

__all__ = [
    "ADMINS",
    "ASKED",
    "CHUNK_LEVELS",
    "EVERYONE",
    "EXTERNAL_IDS",
    "HINTS",
    "HYBRID",
    "LEVELS",
    "NO_MODEL",
    "OPTIONS",
    "UNKNOWN_LANGUAGE",
    "Allowance",
    "Answer",
    "Block",
    "BlockKind",
    "Caller",
    "Candidate",
    "Candidates",
    "Choice",
    "Chunk",
    "ChunkLevel",
    "ChunkSentences",
    "Citation",
    "Classification",
    "Condition",
    "Conditions",
    "Conversation",
    "Cut",
    "Document",
    "DocumentState",
    "Ended",
    "Entity",
    "EntityKind",
    "Evidence",
    "Exchange",
    "Expansion",
    "Feedback",
    "Hints",
    "Hit",
    "IntelligenceLevel",
    "Intent",
    "Message",
    "Mode",
    "ModelCall",
    "ModelSource",
    "ModelTier",
    "ModelUsage",
    "Operator",
    "Option",
    "OptionName",
    "Outcome",
    "Page",
    "Parsed",
    "Part",
    "Place",
    "Plan",
    "Profile",
    "Query",
    "QueryKind",
    "QuestionType",
    "Ranked",
    "RankedList",
    "Reason",
    "Record",
    "Request",
    "Retriever",
    "Role",
    "Search",
    "SourceState",
    "Span",
    "Stage",
    "Status",
    "StoredHit",
    "StoredMessage",
    "StoredModelSource",
    "StoredModelUsage",
    "StoredPassage",
    "StoredReference",
    "StoredSpan",
    "StoredToolCall",
    "StoredUsage",
    "StoredVerdict",
    "Strategy",
    "Tier",
    "ToolCall",
    "Turn",
    "TurnFigures",
    "TurnMetrics",
    "TurnRecord",
    "Unit",
    "Usage",
    "Verdict",
    "begin_turn",
    "chunks_digest",
    "lists_of",
    "make_chunk_id",
    "size_of",
    "tier_of_model",
    "usage_by_model",
    "usage_of",
    "window_of",
]
