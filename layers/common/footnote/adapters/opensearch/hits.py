"""The hits of a reply of OpenSearch, and what is read off them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from footnote.adapters.opensearch.client import Json
from footnote.types import Candidate, Search


def without_vector(hits: Sequence[Json], search: Search) -> frozenset[str]:
    """Ids of hits without a vector, if the search has one."""
    if search.vector is None:
        return frozenset()
    return frozenset(chunk_id_of(hit) for hit in hits if hit["fields"].get("embedder") != [search.embedder])


def to_entries(hits: Sequence[Json], search: Search) -> tuple[Candidate, ...]:
    """The hits with their scores."""
    return tuple(Candidate(chunk_id_of(hit), hit["_score"], hit["fields"]["lang"] != [search.lang]) for hit in hits)


def hits_of(found: Json | None) -> list[Json]:
    """The hits of a reply; none if there is no such index."""
    return [] if found is None else list(found["hits"]["hits"])


def found_something(replies: Mapping[str, Json | None]) -> bool:
    """Whether one of the replies has a hit."""
    return any(map(hits_of, replies.values()))


def documents_of(hits: Sequence[Json]) -> set[str]:
    """The doc_ids of the hits."""
    return {place[0] for hit in hits if (place := place_of(chunk_id_of(hit)))}


def chunk_id_of(hit: Json) -> str:
    """The chunk id, which is read as a column."""
    return str(hit["fields"]["chunk_id"][0])


def place_of(chunk_id: str) -> tuple[str, int] | None:
    """(doc_id, generation) of `doc_id|generation|ordinal`; None = not a chunk id."""
    doc_id, *numbers = chunk_id.rsplit("|", 2)
    return (doc_id, int(numbers[0])) if len(numbers) == 2 and numbers[0].isdecimal() else None
