"""What the core needs from outside, as small Protocols. Their implementations are in `adapters/<engine>/<port>.py`.

Methods that read data for a user require a `Caller`, so that no read can leave out the permission check. All adapters of
a port, and all wrappers, pass the same tests in `tests/contracts`. Methods raise only errors of `footnote.errors`.
"""

from __future__ import annotations

from footnote.ports.checkpoints import CHECKPOINTS_KEPT_S, OTHER_BODY, TAKEN_OVER, Checkpoint, Checkpoints, RequestKey
from footnote.ports.identity import Tokens
from footnote.ports.index import SMALL_COLLECTION, ChunkVectors, CollectionInfo, Index, Indexed, PendingVector, View
from footnote.ports.ledger import Held, Ledger, NewFile
from footnote.ports.models import (
    Clock,
    Delta,
    Effort,
    Embedder,
    Images,
    KnowledgeBase,
    LanguageModel,
    Models,
    Parser,
    Tool,
    Tools,
    embedded_languages,
    speaks,
)
from footnote.ports.ranked_lists import Found, RankedLists, Readable, Scope
from footnote.ports.records import Kind, Record, Records, read_all
from footnote.ports.reranker import Reranker
from footnote.ports.stores import Bus, Cache, Dropped, Drops, Files, Job, Queue, UploadForm, Uploads
from footnote.ports.turns import Meter, Rollup, Room, StoredTurn, TurnStore

__all__ = [
    "CHECKPOINTS_KEPT_S",
    "OTHER_BODY",
    "SMALL_COLLECTION",
    "TAKEN_OVER",
    "Bus",
    "Cache",
    "Checkpoint",
    "Checkpoints",
    "ChunkVectors",
    "Clock",
    "CollectionInfo",
    "Delta",
    "Dropped",
    "Drops",
    "Effort",
    "Embedder",
    "Files",
    "Found",
    "Held",
    "Images",
    "Index",
    "Indexed",
    "Job",
    "Kind",
    "KnowledgeBase",
    "LanguageModel",
    "Ledger",
    "Meter",
    "Models",
    "NewFile",
    "Parser",
    "PendingVector",
    "Queue",
    "RankedLists",
    "Readable",
    "Record",
    "Records",
    "RequestKey",
    "Reranker",
    "Rollup",
    "Room",
    "Scope",
    "StoredTurn",
    "Tokens",
    "Tool",
    "Tools",
    "TurnStore",
    "UploadForm",
    "Uploads",
    "View",
    "embedded_languages",
    "read_all",
    "speaks",
]
