"""How chunks are kept and asked for in OpenSearch: names of indexes, mappings, queries, chunk ↔ stored document.

`tokens` are ours (`footnote.text.tokens`), the title's three times: BM25 (k1 = 1.2, b = .75) then weighs
a title as the embedded index does, and both rank alike. `text` beside it is for people's own queries.
A vector's field is named by its length, so that embedders of several lengths can live in one index.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from footnote.text.tokens import index_tokens
from footnote.types import EVERYONE, Caller, Chunk, Document, Part, SentenceVectors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAPPING = 1
"""Grows with every change of what is below; an index of another one is refused."""
TITLE_WEIGHT = 3
LONGEST_FILTER = 8000
"""Characters of a metadata value that can be filtered by; Lucene takes 32,766 bytes."""

SETTINGS = {
    "number_of_shards": 1,
    "auto_expand_replicas": "0-1",
    "refresh_interval": "-1",  # whoever writes refreshes; a search after a pause would wait for it otherwise
}
KEYWORD = {"type": "keyword"}
STORED = {"type": "object", "enabled": False}

HEADS: dict[str, Any] = {
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
            "filters": {"type": "keyword", "ignore_above": LONGEST_FILTER},
            "active": {"type": "boolean"},
            "staged_at": {"type": "double", "index": False},
            "tokens": {"type": "text", "analyzer": "whitespace", "index_options": "freqs"},
            "title": {"type": "text", "analyzer": "neutral"},
            "text": {"type": "text", "analyzer": "neutral"},
            "rest": STORED,
            "embedder": KEYWORD,
            "sentences": {"type": "binary"},
        },
    },
}

ACTIVE = {"term": {"active": True}}
"""Filter: chunks of the generation that answers."""
NEIGHBOURS = 200
"""Found per search by vector at least; fewer miss too many of the nearest hundred."""
COLUMNS: dict[str, Any] = {"stored_fields": "_none_", "docvalue_fields": ["chunk_id", "embedder"]}
"""All that a search needs of a hit: to open a hundred stored documents for them takes three times as long as to find them."""

OF_CHUNK = ["doc_id", "generation", "ordinal", "level", "lang", "content_type", "permission_groups", "collection", "title", "text", "rest"]
OF_SENTENCES = ["generation", "permission_groups", "rest.bounds", "embedder", "sentences", "vector_*"]


def vector_field(dimension: int) -> str:
    return f"vector_{dimension}"


def vector_mapping(dimension: int) -> dict[str, Any]:
    method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": {"m": 16, "ef_construction": 100}}
    return {"properties": {vector_field(dimension): {"type": "knn_vector", "dimension": dimension, "method": method}}}


class Names:
    """All begin with the prefix. A collection's name may hold any character, an index's may not: it is hashed."""

    def __init__(self, prefix: str) -> None:
        self.heads = f"{prefix}-heads"
        self.all_chunks = f"{prefix}-chunks"
        """An alias of every collection's index."""
        self.all_indexes = f"{prefix}-c-*"
        """Those that are being built or kept too: what is refreshed so is found also where an alias turns to it at this moment."""
        self._prefix = prefix

    def chunks(self, collection: str) -> str:
        """The alias of the index that answers for a collection."""
        return f"{self._prefix}-c-{hashlib.sha256(collection.encode()).hexdigest()[:16]}"

    def upcoming(self, collection: str) -> str:
        """The alias of the index that is being built for it."""
        return f"{self.chunks(collection)}-next"


class UpcomingNames(Names):
    """For who asks the index that is being built."""

    def chunks(self, collection: str) -> str:
        return f"{super().chunks(collection)}-next"


# --- what is asked ---------------------------------------------------------------------------------


def visible(caller: Caller, levels: Sequence[int], filters: Mapping[str, tuple[str, ...]]) -> list[dict[str, Any]]:
    """The filter that every search carries."""
    groups = (
        {"exists": {"field": "permission_groups"}}
        if caller.sees_all
        else {"terms": {"permission_groups": sorted(caller.groups | {EVERYONE})}}
    )
    clauses = [ACTIVE, groups, {"terms": {"level": sorted(levels)}}]
    return [*clauses, *({"terms": {"filters": [_filter(name, value) for value in values]}} for name, values in filters.items())]


def fused(words: dict[str, Any], vector: dict[str, Any], limit: int) -> dict[str, Any]:
    """One list, by the engine: half the min-max score of each."""
    pipeline = {
        "normalization": {"technique": "min_max"},
        "combination": {"technique": "arithmetic_mean", "parameters": {"weights": [0.5, 0.5]}},
    }
    return {
        "size": limit,
        **COLUMNS,
        "query": {"hybrid": {"queries": [words, vector], "pagination_depth": max(NEIGHBOURS, limit)}},
        "search_pipeline": {"phase_results_processors": [{"normalization-processor": pipeline}]},
    }


def ranked(query: dict[str, Any], limit: int) -> dict[str, Any]:
    """Equal scores by chunk id, also where the limit cuts them."""
    return {"size": limit, "query": query, "sort": ["_score", "chunk_id"], "track_total_hits": False, **COLUMNS}


# --- what is stored --------------------------------------------------------------------------------


def to_source(document: Document, chunk: Chunk, bounds: Sequence[tuple[int, int]], *, active: bool, staged_at: float) -> dict[str, Any]:
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
        "filters": list(_filters(document.metadata)),
        "active": active,
        "staged_at": staged_at,
        "tokens": " ".join(title * TITLE_WEIGHT + index_tokens(chunk.text, chunk.lang)),
        "title": document.title,
        "text": chunk.text,
        "rest": {
            "page": chunk.page,
            "parts": chunk.parts,
            "headings": chunk.headings,
            "metadata": dict(document.metadata),
            "created_at": document.created_at,
            "bounds": bounds,
        },
    }


def to_chunk(chunk_id: str, source: Mapping[str, Any]) -> Chunk:
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
        permission_groups=frozenset(source["permission_groups"]),
        metadata=rest["metadata"],
        created_at=rest["created_at"],
    )


def to_bounds(source: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in source["rest"]["bounds"])


def to_vectors(source: Mapping[str, Any], embedder: str) -> SentenceVectors:
    import numpy as np

    bounds = to_bounds(source)
    if source.get("embedder") != embedder or not source.get("sentences") or not bounds:
        return SentenceVectors(bounds)
    sentences = np.frombuffer(base64.b64decode(source["sentences"]), np.int8).reshape(len(bounds), -1)
    passage = next((value for name, value in source.items() if name.startswith("vector_") and value), None)
    return SentenceVectors(bounds, sentences, None if passage is None else np.array(passage, np.float32))


def vector_source(
    embedder: str, vector: npt.NDArray[np.float32], sentences: npt.NDArray[np.int8] | None, known: Iterable[int]
) -> dict[str, Any]:
    """What is changed of a chunk. `known`: every length there is in its index: another embedder's vector goes."""
    import numpy as np

    fields: dict[str, Any] = {vector_field(dimension): None for dimension in known}
    if np.any(vector):  # an empty one has no direction, and the engine refuses it
        fields[vector_field(len(vector))] = np.asarray(vector, np.float32).tolist()
    stored = None if sentences is None else base64.b64encode(np.ascontiguousarray(sentences, np.int8).tobytes()).decode()
    return {"embedder": embedder, "sentences": stored, **fields}


def _filters(metadata: Mapping[str, Any]) -> Iterable[str]:
    for name, value in metadata.items():
        for item in value if isinstance(value, list | tuple) else (value,):
            yield _filter(name, str(item))


def _filter(name: str, value: str) -> str:
    return f"{name}\x1f{value}"
