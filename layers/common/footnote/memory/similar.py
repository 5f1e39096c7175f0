"""Cache lookup: was this asked before?

A hit has the same normal form (`text.normal_form`), and either the same words or vectors so near that both ask the same with at least the
threshold's probability. If the embedder does not support the language, the form alone decides. Each scope has `max_entries` slots, and a
question belongs to slot `hash(form) mod max_entries`: a lookup is one read, and a new entry replaces the one in its slot.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from footnote.ports import Cache, Embedder, speaks
from footnote.settings import Caching
from footnote.text.normal_form import normal_form
from footnote.text.particulars import particulars
from footnote.text.similarity import same_chance
from footnote.text.tokens import normalise
from footnote.types import Query, Turn, Vector

FEW_WORDS = 4
"""Questions with fewer words need the stricter threshold."""


@dataclass(frozen=True, slots=True)
class CacheQuery:
    """The queries to look up together. `vectors` () = no vectors are compared."""

    queries: tuple[str, ...]
    lang: str
    vectors: tuple[Vector, ...] = ()

    @property
    def forms(self) -> list[str]:
        """The normal form of each query."""
        return [normal_form(query, self.lang) for query in self.queries]

    @property
    def words(self) -> list[str]:
        """The normalised text of each query, without punctuation at the end."""
        return [" ".join(normalise(query).split()).rstrip(" ?.!。？！") for query in self.queries]


@dataclass(frozen=True, slots=True)
class CacheHit:
    """A cached value, with the probability that its question asks the same, and its age."""

    value: Any
    similarity: float
    age_s: float


def answer_query(turn: Turn, embedder: Embedder | None) -> CacheQuery:
    """The lookup of the turn's answer."""
    return _cache_query(turn, turn.answered, embedder)


def search_queries(turn: Turn, embedder: Embedder | None) -> list[CacheQuery]:
    """One lookup for each query that is answered: their results are independent. Derived queries are not cached."""
    return [_cache_query(turn, (query,), embedder) for query in turn.answered]


def _cache_query(turn: Turn, queries: Sequence[Query], embedder: Embedder | None) -> CacheQuery:
    """Vectors are compared only if the embedder supports the language."""
    vectors = tuple(query.vector for query in queries if query.vector is not None) if turn.vectors and speaks(embedder, turn.lang) else ()
    return CacheQuery(tuple(query.text for query in queries), turn.lang, vectors)


def cache_key(scope: str, asked: CacheQuery, caching: Caching) -> str:
    """The key of the query's slot."""
    number = int.from_bytes(hashlib.sha256("\n".join(asked.forms).encode()).digest()[:8]) % caching.max_entries
    return f"asked:{scope}:{number}"


async def look_up(cache: Cache, key: str, asked: CacheQuery, caching: Caching, now: float) -> CacheHit | None:
    """The entry under this key if it matches the query; None otherwise."""
    entry = await cache.get(key)
    if entry is None or entry.get("forms") != asked.forms:  # entries of earlier versions have none
        return None
    by_words = entry["words"] == asked.words or not (entry["vectors"] or asked.vectors)
    similarity = 1.0 if by_words else same_chance(_cosine(entry["vectors"], asked.vectors))
    return CacheHit(entry["value"], similarity, now - entry["made_at"]) if similarity >= _threshold(asked, caching) else None


async def keep(cache: Cache, key: str, asked: CacheQuery, value: Any, ttl_s: float, now: float) -> None:
    """Stores a JSON value for the query, for `ttl_s` seconds."""
    vectors = [_packed(vector) for vector in asked.vectors]
    entry = {"forms": asked.forms, "words": asked.words, "vectors": vectors, "made_at": now, "value": value}
    await cache.put_later(key, entry, ttl_s)


def _threshold(asked: CacheQuery, caching: Caching) -> float:
    precise = caching.threshold_mode == "precision" or (
        caching.threshold_mode == "adaptive"
        and any(particulars(query, asked.lang) or len(query.split()) < FEW_WORDS for query in asked.queries)
    )
    return caching.precision if precise else caching.recall


def _cosine(kept: Sequence[str], vectors: Sequence[Vector]) -> float:
    """The lowest cosine of the pairs; 0 if one side has no vectors."""
    import numpy as np

    if not vectors or len(kept) != len(vectors):
        return 0.0
    unpacked = [np.frombuffer(base64.b64decode(text), np.int8).astype(np.float32) for text in kept]
    return min(float(a @ b / np.linalg.norm(a)) for a, b in zip(unpacked, vectors, strict=True))


def _packed(vector: Vector) -> str:
    """The vector as base64 of one byte per dimension: 384 dimensions take 512 characters. The error of a cosine is at most 0.001."""
    import numpy as np

    return base64.b64encode(np.round(vector * (127 / np.abs(vector).max())).astype(np.int8).tobytes()).decode()
