"""The hits of a search, read once from the engine's reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from footnote.adapters.opensearch.client import Json
from footnote.types import Candidate, Search

Place = tuple[str, int]
"""(doc_id, generation)."""


class Hit(NamedTuple):
    """A chunk that was found. `lang` and `embedder` are columns: a list of one; None = there is none."""

    chunk_id: str
    score: float
    place: Place | None
    """None: the id is not a chunk's."""
    stored_in: str
    """The index, not its alias."""
    lang: list[str] | None
    embedder: list[str] | None


def hits_of(found: Json | None) -> list[Json]:
    """The hits of a reply; none if there is no such index."""
    return [] if found is None else list(found["hits"]["hits"])


def to_hits(found: Json | None, *, is_near: bool = False) -> list[Hit]:
    """The hits of a reply. `is_near`: their scores are (1 + cosine) / 2, and become the cosine.

    A sorted search has the chunk id among its sort values, the engine's own fusion as a column."""
    hits = []
    for hit in hits_of(found):
        fields, score = hit["fields"], hit["_score"]
        chunk_id = str(hit["sort"][1] if "sort" in hit else fields["chunk_id"][0])
        score = 2 * score - 1 if is_near else score
        hits.append(Hit(chunk_id, score, place_of(chunk_id), hit["_index"], fields.get("lang"), fields.get("embedder")))
    return hits


def place_of(chunk_id: str) -> Place | None:
    """(doc_id, generation) of `doc_id|generation|ordinal`; None = not a chunk id."""
    doc_id, *numbers = chunk_id.rsplit("|", 2)
    return (doc_id, int(numbers[0])) if len(numbers) == 2 and numbers[0].isdecimal() else None


def places_of(*lists: Iterable[Hit]) -> set[Place]:
    """Where the hits of these lists are."""
    return {hit.place for hits in lists for hit in hits if hit.place is not None}


def documents_of(hits: Iterable[Hit]) -> set[str]:
    """The doc_ids of the hits."""
    return {doc_id for doc_id, _ in places_of(hits)}


def without_vector(hits: Iterable[Hit], search: Search) -> frozenset[str]:
    """Ids of hits without a vector, if the search has one."""
    if search.vector is None:
        return frozenset()
    of_search = [search.embedder]
    return frozenset([hit.chunk_id for hit in hits if hit.embedder != of_search])


def to_entries(hits: Sequence[Hit], search: Search) -> tuple[Candidate, ...]:
    """The hits with their scores."""
    own = [search.lang]
    return tuple([Candidate(hit.chunk_id, hit.score, hit.lang != own) for hit in hits])
