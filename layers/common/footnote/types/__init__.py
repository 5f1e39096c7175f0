"""What flows through the house: plain, frozen values. No I/O, no framework, no numpy at import.

A question becomes a `Turn`; every step takes a Turn and returns a new one. A file becomes a
`Document` with `Block`s, which are cut into `Chunk`s. Sizes are in bytes, times in seconds since
the epoch unless a name says `_ms`, pages count from 1, character offsets from 0.
"""

from __future__ import annotations

from footnote.types.caller import ADMINS, EVERYONE, Caller, Page, Role
from footnote.types.conditions import Condition, Conditions, Operator
from footnote.types.documents import (
    OUTSIDE,
    UNKNOWN_LANGUAGE,
    Block,
    BlockKind,
    Chunk,
    Document,
    DocumentState,
    Level,
    Parsed,
    Part,
    Place,
    Unit,
    chunks_digest,
    make_chunk_id,
)
from footnote.types.retrieval import Candidate, Candidates, Hit, Ranked, Retriever, Search, SentenceVectors
from footnote.types.stages import Stage
from footnote.types.turn import (
    Allowance,
    Answer,
    Citation,
    Cut,
    Exchange,
    Feedback,
    Message,
    Mode,
    Outcome,
    Profile,
    Span,
    ToolCall,
    Turn,
    Usage,
)

__all__ = [
    "ADMINS",
    "EVERYONE",
    "OUTSIDE",
    "UNKNOWN_LANGUAGE",
    "Allowance",
    "Answer",
    "Block",
    "BlockKind",
    "Caller",
    "Candidate",
    "Candidates",
    "Chunk",
    "Citation",
    "Condition",
    "Conditions",
    "Cut",
    "Document",
    "DocumentState",
    "Exchange",
    "Feedback",
    "Hit",
    "Level",
    "Message",
    "Mode",
    "Operator",
    "Outcome",
    "Page",
    "Parsed",
    "Part",
    "Place",
    "Profile",
    "Ranked",
    "Retriever",
    "Role",
    "Search",
    "SentenceVectors",
    "Span",
    "Stage",
    "ToolCall",
    "Turn",
    "Unit",
    "Usage",
    "chunks_digest",
    "make_chunk_id",
]
