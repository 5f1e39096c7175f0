"""Index names, mappings and queries in OpenSearch, and chunks as stored documents.

`tokens` come from `footnote.text.tokens`, those of the title three times: BM25 (k1 = 1.2, b = 0.75) then weights
a title as the embedded index does, and both rank alike. `text` is there for queries of operators.
A vector's field is named after its length, so that embedders of several lengths can share an index.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from footnote.ports import ChunkVectors, Layer, PendingVector
from footnote.text.sentence_terms import chunk_tokens, read_terms, sentence_terms
from footnote.text.tokens import index_tokens
from footnote.types import EVERYONE, Caller, Chunk, ChunkSentences, Document, Part
from footnote.types.conditions import text_of

MAPPING = 5
"""Incremented with every change of the mappings; the hourly check rebuilds an index with an earlier number."""
USABLE = frozenset({4, MAPPING})
"""The numbers of indexes that are read and written as they are until they are rebuilt; any other is rejected. 4: only other words."""
TITLE_WEIGHT = 3
MAX_FILTER = 8000
"""Characters of a metadata value that can be filtered by; Lucene's limit is 32,766 bytes."""

SETTINGS = {
    "number_of_shards": 1,
    "auto_expand_replicas": "0-1",
    "refresh_interval": "-1",  # writers refresh; otherwise the first search after a pause would wait for a refresh
}
KEYWORD = {"type": "keyword"}
STORED = {"type": "object", "enabled": False}

BUILT: dict[str, Any] = {
    "built": {
        "properties": {
            layer: {"properties": {"recipe": KEYWORD, "keys": KEYWORD, "data": {"type": "binary"}, "has_data": {"type": "boolean"}}}
            for layer in get_args(Layer)
        }
    }
}
"""Fields of a chunk for what is built of it (`ports.Knowledge`). Indexes that were made without them get them when they are needed."""

VERSIONS: dict[str, Any] = {
    "settings": SETTINGS,
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "doc_id": KEYWORD,
            "active": {"type": "long"},
            "floor": {"type": "long"},
            "generations": STORED,
            "name": KEYWORD,
            "index": KEYWORD,
            "version": {"type": "long"},
            "embedders": STORED,
            "mapping": {"type": "long"},
            "previous": KEYWORD,
            "upcoming": STORED,
        },
    },
}

SEARCHED: dict[str, Any] = {"settings": SETTINGS, "mappings": {"dynamic": "strict", "properties": {"name": KEYWORD}}}

CHUNKS: dict[str, Any] = {
    "settings": {
        **SETTINGS,
        "index": {"knn": True},
        "analysis": {
            "analyzer": {
                "neutral": {"type": "custom", "tokenizer": "standard", "filter": ["cjk_width", "lowercase", "asciifolding"]},
            }
        },
    },
    "mappings": {
        "dynamic": "strict",
        "_meta": {"mapping": MAPPING},
        "properties": {
            "chunk_id": KEYWORD,
            "doc_id": KEYWORD,
            "collection": KEYWORD,
            "generation": {"type": "long"},
            "ordinal": {"type": "integer"},
            "level": {"type": "byte"},
            "lang": KEYWORD,
            "content_type": KEYWORD,
            "permission_groups": KEYWORD,
            "filters": {"type": "keyword", "ignore_above": MAX_FILTER},
            "active": {"type": "boolean"},
            "staged_at": {"type": "double", "index": False},
            "tokens": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
            "title": {"type": "text", "analyzer": "neutral"},
            "text": {"type": "text", "analyzer": "neutral"},
            "rest": STORED,
            "embedder": KEYWORD,
            "recipe": {"type": "integer"},
            "vectors": {"type": "binary"},
            **BUILT,
        },
    },
}

ACTIVE = {"term": {"active": True}}
"""Filter: chunks of active generations."""
NEIGHBOURS = 200
"""Fewest neighbours of a vector search; fewer miss too many of the nearest hundred."""
COLUMNS: dict[str, Any] = {"stored_fields": "_none_", "docvalue_fields": ["embedder", "lang"]}
"""The fields that a search needs of a hit: loading a hundred stored documents takes three times as long as the search."""

OF_CHUNK = ["doc_id", "generation", "ordinal", "level", "lang", "content_type", "permission_groups", "collection", "title", "text", "rest"]
OF_QUESTIONS = ["generation", "permission_groups", "rest.questions"]
OF_PLACE = ["generation", "permission_groups", "collection"]
OF_SENTENCES = ["generation", "permission_groups", "rest.bounds", "rest.terms", "embedder", "vectors"]


def vector_field(dimension: int) -> str:
    """Name of the field for vectors of this length."""
    return f"vector_{dimension}"


def vector_mapping(dimension: int) -> dict[str, Any]:
    """Mapping of the field for vectors of this length."""
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": {"m": 16, "ef_construction": 100}}
    return {"properties": {vector_field(dimension): {"type": "knn_vector", "dimension": dimension, "method": method}}}


class Names:
    """Names of indexes and aliases; all begin with the prefix. A collection's name is hashed, since it may hold any character."""

    def __init__(self, prefix: str) -> None:
        self.versions = f"{prefix}-heads"
        """Index of the records of documents and collections."""
        self.searched = f"{prefix}-searched"
        """Index of the collections in which other chunks than passages were searched by vector. It is separate, because a process
        that answers questions may write nothing else."""
        self.all_chunks = f"{prefix}-chunks"
        """Alias of every collection's index."""
        self.all_indexes = f"{prefix}-c-*"
        """Every index, also those being built or kept. A refresh of all of them holds even if an alias is moved meanwhile."""
        self._prefix = prefix

    def chunks(self, collection: str) -> str:
        """The alias of the index that answers for a collection."""
        return f"{self._prefix}-c-{hashlib.sha256(collection.encode()).hexdigest()[:16]}"

    def upcoming(self, collection: str) -> str:
        """The alias of the index that is being built for a collection."""
        return f"{self.chunks(collection)}-next"


class UpcomingNames(Names):
    """Names for reading the indexes that are being built."""

    def chunks(self, collection: str) -> str:
        """The alias of the index that is being built."""
        return f"{super().chunks(collection)}-next"


# --- queries ---------------------------------------------------------------------------------


def visible(caller: Caller, levels: Sequence[int], filters: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """The permission, level and metadata filters of every search."""
    groups = (
        {"exists": {"field": "permission_groups"}}
        if caller.sees_all
        else {"terms": {"permission_groups": sorted(caller.groups | {EVERYONE})}}
    )
    clauses = [ACTIVE, groups, {"terms": {"level": sorted(levels)}}]
    return [*clauses, *({"terms": {"filters": [_filter(name, value) for value in values]}} for name, values in filters.items())]


def fused(words: dict[str, Any], vector: dict[str, Any], limit: int) -> dict[str, Any]:
    """A hybrid search, fused by the engine: the mean of both min-max scores."""
    pipeline = {
        "normalization": {"technique": "min_max"},
        "combination": {"technique": "arithmetic_mean", "parameters": {"weights": [0.5, 0.5]}},
    }
    return {
        "size": limit,
        **COLUMNS,
        "docvalue_fields": ["chunk_id", *COLUMNS["docvalue_fields"]],
        "query": {"hybrid": {"queries": [words, vector], "pagination_depth": max(NEIGHBOURS, limit)}},
        "search_pipeline": {"phase_results_processors": [{"normalization-processor": pipeline}]},
    }


def ranked(query: dict[str, Any], limit: int) -> dict[str, Any]:
    """A search whose ties are sorted by chunk id, also at the limit. A hit's chunk id is among its sort values."""
    return {"size": limit, "query": query, "sort": ["_score", "chunk_id"], "track_total_hits": False, **COLUMNS}


# --- stored documents --------------------------------------------------------------------------------


def to_source(document: Document, chunk: Chunk, bounds: Sequence[tuple[int, int]], *, active: bool, staged_at: float) -> dict[str, Any]:
    """The stored document of a chunk."""
    title = index_tokens(chunk.title, chunk.lang)
    return {
        "chunk_id": chunk.chunk_id,
        "doc_id": document.doc_id,
        "collection": document.collection,
        "generation": document.generation,
        "ordinal": chunk.ordinal,
        "level": chunk.level,
        "lang": chunk.lang,
        "content_type": chunk.kind,
        "permission_groups": sorted(document.permission_groups),
        "filters": list(_filters(chunk.metadata)),
        "active": active,
        "staged_at": staged_at,
        "tokens": " ".join(title * TITLE_WEIGHT + chunk_tokens(chunk)),
        "title": document.title,
        "text": chunk.text,
        "rest": {
            "content_type": chunk.content_type,
            "page": chunk.page,
            "parts": chunk.parts,
            "headings": chunk.headings,
            "metadata": dict(chunk.metadata),
            "created_at": document.created_at,
            "bounds": bounds,
            "questions": chunk.questions,
            "terms": sentence_terms(chunk, bounds),
        },
    }


def metadata_source(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a chunk's stored document that holds its metadata."""
    return {"filters": list(_filters(metadata)), "rest": {"metadata": dict(metadata)}}


def to_chunk(chunk_id: str, source: Mapping[str, Any]) -> Chunk:
    """The chunk of a stored document."""
    rest = source["rest"]
    return Chunk(
        chunk_id=chunk_id,
        doc_id=source["doc_id"],
        generation=source["generation"],
        ordinal=source["ordinal"],
        level=source["level"],
        title=source["title"],
        text=source["text"],
        lang=source["lang"],
        collection=source["collection"],
        headings=tuple(rest["headings"]),
        page=rest["page"],
        parts=tuple(Part(*part) for part in rest["parts"]),
        kind=source["content_type"],
        content_type=rest.get("content_type", "text"),  # one that was stored before there was this field
        permission_groups=frozenset(source["permission_groups"]),
        metadata=rest["metadata"],
        created_at=rest["created_at"],
    )


def to_bounds(source: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """The sentence bounds of a stored document."""
    return tuple((start, end) for start, end in source["rest"]["bounds"])


def to_pending(chunk_id: str, source: Mapping[str, Any]) -> PendingVector:
    """What is embedded of a stored document."""
    headings = tuple(source["rest"]["headings"])
    return PendingVector(chunk_id, source["title"], source["text"], source["lang"], to_bounds(source), headings)


def to_chunk_sentences(source: Mapping[str, Any], embedder: str) -> ChunkSentences:
    """The sentences of a stored document; without vectors if they are another embedder's."""
    import numpy as np

    bounds, words = to_bounds(source), read_terms(source["rest"]["terms"])
    if source.get("embedder") != embedder or not source.get("vectors") or not bounds:
        return ChunkSentences(bounds, None, None, *words)
    packed = base64.b64decode(source["vectors"])
    dimension = len(packed) // (4 + len(bounds))
    passage = np.frombuffer(packed, np.float32, dimension)
    return ChunkSentences(bounds, np.frombuffer(packed, np.int8, offset=4 * dimension).reshape(len(bounds), -1), passage, *words)


def vector_source(embedder: str, made: ChunkVectors, known: Iterable[int]) -> dict[str, Any]:
    """The update that sets a chunk's vectors. `known`: all lengths in its index, whose fields are cleared."""
    import numpy as np

    fields: dict[str, Any] = {vector_field(dimension): None for dimension in known}
    if np.any(made.vector):  # the engine rejects a zero vector
        fields[vector_field(len(made.vector))] = np.asarray(made.vector, np.float32).tolist()
    packed = None
    if made.sentences is not None:  # the passage's as float32, then its sentences': as JSON they take half the time of a read
        packed = np.asarray(made.vector, np.float32).tobytes() + np.ascontiguousarray(made.sentences, np.int8).tobytes()
    stored = None if packed is None else base64.b64encode(packed).decode()
    return {"embedder": embedder, "recipe": made.recipe, "vectors": stored, **fields}


def _filters(metadata: Mapping[str, Any]) -> Iterable[str]:
    for name, value in metadata.items():
        for item in value if isinstance(value, list | tuple) else (value,):
            yield _filter(name, text_of(item))


def _filter(name: str, value: str) -> str:
    return f"{name}\x1f{value}"
