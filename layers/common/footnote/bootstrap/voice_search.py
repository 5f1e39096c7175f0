"""Searches voices that are in no index, the product's own, as a collection is searched: by words and by meaning.

Words alone decide where there is no embedder or it does not speak the query's language, and for a voice that has no vector. Vectors are
made from the masked texts and kept in the vector cache, so that no text is embedded twice.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from footnote.errors import FootnoteError
from footnote.ingest.vectors import embed_voices
from footnote.ports import Embedder, VectorCache, speaks
from footnote.retrieve.fuse import fuse, vectors_count
from footnote.settings import Rag
from footnote.text.language import detect_language
from footnote.types import Candidate, RankedList
from footnote.voices.rank import score_by_vectors, score_by_words
from footnote.voices.voice import Voice

EMBEDDED_AT_ONCE = 200
"""Voices without a vector that one search embeds, the newest first."""


@dataclass(frozen=True, slots=True)
class RankedVoices:
    """`voices`: best first, with their scores, 0 to 1. `vectors_pending`: some have no vector yet; the next searches make more."""

    voices: tuple[tuple[Voice, float], ...]
    vectors_pending: bool = False


async def rank_voices(
    query: str, voices: Sequence[Voice], *, embedder: Embedder | None, cache: VectorCache, rag: Rag, embeds: bool
) -> RankedVoices:
    """The voices that fit the query: by words and meaning as many of each list as are fused for a collection; by words alone those that
    share a word with it, with the share of its words that they have. `embeds`: whether vectors are made that are not in the cache."""
    lang = detect_language(query, Counter(voice.lang for voice in voices))
    by_id = {voice.voice_id: voice for voice in voices}
    lexical, whole = await asyncio.to_thread(score_by_words, query, lang, voices)
    lists = None
    if embedder is not None and vectors_count(embedder, lang, rag):
        with suppress(FootnoteError):  # without the embedder, words are enough
            lists = await _lists(query, lexical, voices, embedder, cache, rag, EMBEDDED_AT_ONCE if embeds else 0)
    if lists is None:
        return RankedVoices(tuple((by_id[each.chunk_id], round(each.score / whole, 4)) for each in lexical))
    weight = rag.alpha if rag.hybrid else 1.0
    ranked = fuse(lists, "rrf" if rag.fusion == "rrf" else "cc", weight=weight, rrf_k=rag.rrf_k)
    return RankedVoices(tuple((by_id[each.chunk_id], round(each.score, 4)) for each in ranked), lists[1].coverage < 1)


async def _lists(
    query: str, lexical: Sequence[Candidate], voices: Sequence[Voice], embedder: Embedder, cache: VectorCache, rag: Rag, most: int
) -> tuple[RankedList, RankedList] | None:
    """The lexical and the dense list; None = there is nothing that the embedder speaks."""
    spoken = [voice for voice in sorted(voices, key=lambda voice: -(voice.at or 0.0)) if speaks(embedder, voice.lang)]
    if not spoken:
        return None
    asked = (await embedder.embed([query], query=True))[0]
    vectors = await embed_voices(embedder, [voice.text for voice in spoken], cache, most)
    near = await asyncio.to_thread(score_by_vectors, asked, spoken, vectors)
    first, known = tuple(lexical[: rag.candidates]), {each.chunk_id for each in near}
    bare = frozenset(each.chunk_id for each in first if each.chunk_id not in known)
    dense = RankedList("cosine", query, tuple(near[: rag.candidates]), len(near) / len(spoken), bare)
    return RankedList("bm25", query, first), dense
