"""Was this asked before, in these or in other words?

A hit has the same meaning (`text.agreement`) and either the same words or a cosine of at least the threshold; where the
embedder does not speak the language, the meaning alone decides. What can hit has one place: `hash(bucket_key) mod max_entries`
within its scope. A look is one read however much is kept; where two meanings meet, the later one stays.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnote.ports import Cache, Embedder, speaks
from footnote.settings import Caching
from footnote.text.agreement import agree_readings, bucket_key, is_particular, readings
from footnote.text.tokens import normalise
from footnote.types import Query, Turn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FEW_WORDS = 4
"""A question of fewer words is matched precisely."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked up. `vectors` () = its words alone decide."""

    queries: tuple[str, ...]
    lang: str
    vectors: tuple[npt.NDArray[np.float32], ...] = ()

    @property
    def readings(self) -> list[list[str]]:
        return [readings(query, self.lang) for query in self.queries]

    @property
    def keys(self) -> list[str]:
        return [bucket_key(query, self.lang) for query in self.queries]

    @property
    def words(self) -> list[str]:
        return [" ".join(normalise(query).split()).rstrip(" ?.!。？！") for query in self.queries]


@dataclass(frozen=True, slots=True)
class Found:
    value: Any
    similarity: float
    age_s: float


def asked_in(turn: Turn, embedder: Embedder | None) -> Asked:
    """What the turn answers."""
    return _asked(turn, turn.answered, embedder)


def searched_in(turn: Turn, embedder: Embedder | None) -> list[Asked]:
    """The queries one by one: what one finds has nothing to do with the others."""
    return [_asked(turn, (query,), embedder) for query in turn.queries]


def _asked(turn: Turn, queries: Sequence[Query], embedder: Embedder | None) -> Asked:
    """Vectors count where their maker speaks the language."""
    vectors = tuple(query.vector for query in queries if query.vector is not None) if turn.vectors and speaks(embedder, turn.lang) else ()
    return Asked(tuple(query.text for query in queries), turn.lang, vectors)


def place_of(scope: str, asked: Asked, caching: Caching) -> str:
    """The key where it is kept, if it is."""
    number = int.from_bytes(hashlib.sha256("\n".join(asked.keys).encode()).digest()[:8]) % caching.max_entries
    return f"asked:{scope}:{number}"


async def look_up(cache: Cache, place: str, asked: Asked, caching: Caching, now: float) -> Found | None:
    entry = await cache.get(place)
    if entry is None:
        return None
    kept = entry.get("readings", ())  # an entry of a former version has none
    if len(kept) != len(asked.queries) or not all(map(agree_readings, kept, asked.readings)):
        return None
    by_words = entry["words"] == asked.words or not (entry["vectors"] or asked.vectors)
    similarity = 1.0 if by_words else _cosine(entry["vectors"], asked.vectors)
    return Found(entry["value"], similarity, now - entry["made_at"]) if similarity >= _threshold(asked, caching) else None


async def keep(cache: Cache, place: str, asked: Asked, value: Any, ttl_s: float, now: float) -> None:
    vectors = [_packed(vector) for vector in asked.vectors]
    entry = {"readings": asked.readings, "words": asked.words, "vectors": vectors, "made_at": now, "value": value}
    await cache.put(place, entry, ttl_s)


def _threshold(asked: Asked, caching: Caching) -> float:
    precise = caching.mode == "precision" or (
        caching.mode == "adaptive" and any(is_particular(query, asked.lang) or len(query.split()) < FEW_WORDS for query in asked.queries)
    )
    return caching.precision if precise else caching.recall


def _cosine(kept: Sequence[str], vectors: Sequence[npt.NDArray[np.float32]]) -> float:
    """Of the two that are least alike; 0 where one side has no vectors."""
    import numpy as np

    if not vectors or len(kept) != len(vectors):
        return 0.0
    unpacked = [np.frombuffer(base64.b64decode(text), np.int8).astype(np.float32) for text in kept]
    return min(float(a @ b / np.linalg.norm(a)) for a, b in zip(unpacked, vectors, strict=True))


def _packed(vector: npt.NDArray[np.float32]) -> str:
    """A byte a dimension, as base64: 384 dimensions take 512 characters; a cosine is off by .001 at most."""
    import numpy as np

    return base64.b64encode(np.round(vector * (127 / np.abs(vector).max())).astype(np.int8).tobytes()).decode()
