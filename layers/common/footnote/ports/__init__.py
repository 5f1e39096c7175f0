"""Everything the core needs from outside, as small Protocols. Backends are in `adapters/<engine>/<port>.py`.

Where data is read, the `Caller` is a required argument: a read without an identity cannot be
written down. Every backend of a port, and every wrapper around one, passes the same suite in
`tests/contracts`. Methods raise errors of `footnote.errors` only.
"""

from __future__ import annotations

from footnote.ports.identity import Tokens
from footnote.ports.index import SMALL_COLLECTION, ChunkVectors, CollectionInfo, Index, Indexed, PendingVector, View
from footnote.ports.ledger import Held, Ledger, NewFile
from footnote.ports.models import (
    Clock,
    Delta,
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
from footnote.ports.records import Kind, Record, Records, read_all
from footnote.ports.stores import Bus, Cache, Dropped, Drops, Files, Job, Queue, UploadForm, Uploads
from footnote.ports.turns import Meter, Rollup, Room, StoredTurn, TurnStore

__all__ = [
    "SMALL_COLLECTION",
    "Bus",
    "Cache",
    "ChunkVectors",
    "Clock",
    "CollectionInfo",
    "Delta",
    "Dropped",
    "Drops",
    "Embedder",
    "Files",
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
    "Record",
    "Records",
    "Rollup",
    "Room",
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
