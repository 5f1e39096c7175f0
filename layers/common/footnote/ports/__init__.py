"""What the core needs from outside, as small Protocols. Their implementations are in `adapters/<engine>/<port>.py`.

Methods that read data for a user require a `Caller`, so that no read can leave out the permission check. All adapters of
a port, and all wrappers, pass the same tests in `tests/contracts`. Methods raise only errors of `footnote.errors`.
"""

from __future__ import annotations

from footnote.ports.checkpoints import CHECKPOINTS_KEPT_S, OTHER_BODY, TAKEN_OVER, Checkpoint, Checkpoints, RequestKey
from footnote.ports.feedback import FeedbackFilter, FeedbackStore, RatedTurn
from footnote.ports.identity import Tokens
from footnote.ports.index import (
    SAME_TITLE,
    SMALL_COLLECTION,
    ChunkVectors,
    Generations,
    Index,
    Indexed,
    IndexStore,
    PendingVector,
    Vectors,
    VectorScope,
    View,
    WrappedIndex,
)
from footnote.ports.ledger import MOST_REDIRECTED, Held, Ledger, LedgerStore, Name, NewFile, Target
from footnote.ports.models import (
    Clock,
    CrossLingualEmbedder,
    Delta,
    Effort,
    EmbeddedPassage,
    Embedder,
    Images,
    KnowledgeBase,
    LanguageModel,
    Models,
    ModelServer,
    Parser,
    PassageEmbedder,
    Tool,
    Tools,
    embedded_languages,
    speaks,
)
from footnote.ports.ranked_lists import Found, RankedLists, Readable, Scope
from footnote.ports.records import Kind, Record, Records, read_all
from footnote.ports.reranker import Reranker
from footnote.ports.sources import Entry, Source, Unlisted
from footnote.ports.statistics import Meter, RolledDay, Rollup, StatisticsStore
from footnote.ports.stores import Bus, Cache, Dropped, Drops, Files, Job, Queue, UploadForm, Uploads
from footnote.ports.turns import Room, StoredTurn, TurnStore
from footnote.ports.vector_cache import VECTORS_KEPT_S, VectorCache
from footnote.ports.verifier import Statement, Verifier
from footnote.ports.wiki import Attachment, ListedPage, PageFacts, Restriction, Wiki, WikiPage

__all__ = [
    "CHECKPOINTS_KEPT_S",
    "MOST_REDIRECTED",
    "OTHER_BODY",
    "SAME_TITLE",
    "SMALL_COLLECTION",
    "TAKEN_OVER",
    "VECTORS_KEPT_S",
    "Attachment",
    "Bus",
    "Cache",
    "Checkpoint",
    "Checkpoints",
    "ChunkVectors",
    "Clock",
    "CrossLingualEmbedder",
    "Delta",
    "Dropped",
    "Drops",
    "Effort",
    "EmbeddedPassage",
    "Embedder",
    "Entry",
    "FeedbackFilter",
    "FeedbackStore",
    "Files",
    "Found",
    "Generations",
    "Held",
    "Images",
    "Index",
    "IndexStore",
    "Indexed",
    "Job",
    "Kind",
    "KnowledgeBase",
    "LanguageModel",
    "Ledger",
    "LedgerStore",
    "ListedPage",
    "Meter",
    "ModelServer",
    "Models",
    "Name",
    "NewFile",
    "PageFacts",
    "Parser",
    "PassageEmbedder",
    "PendingVector",
    "Queue",
    "RankedLists",
    "RatedTurn",
    "Readable",
    "Record",
    "Records",
    "RequestKey",
    "Reranker",
    "Restriction",
    "RolledDay",
    "Rollup",
    "Room",
    "Scope",
    "Source",
    "Statement",
    "StatisticsStore",
    "StoredTurn",
    "Target",
    "Tokens",
    "Tool",
    "Tools",
    "TurnStore",
    "Unlisted",
    "UploadForm",
    "Uploads",
    "VectorCache",
    "VectorScope",
    "Vectors",
    "Verifier",
    "View",
    "Wiki",
    "WikiPage",
    "WrappedIndex",
    "embedded_languages",
    "read_all",
    "speaks",
]
