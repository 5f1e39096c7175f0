"""The benchmark of searching documents first."""

from __future__ import annotations

from bench.whole_documents import grouped, measure
from footnote.learn.golden import GoldenDocument, GoldenQuery, GoldenSet

PASSAGES = (
    GoldenDocument("a", "Harbour", "Ships pay ten euros in the harbour."),
    GoldenDocument("b", "Harbour", "Cranes rest on Sunday."),
    GoldenDocument("book-0-100", "", "Soup is served at noon."),
    GoldenDocument("book-100-200", "", "Bread is free."),
)
SET = GoldenSet("toy", PASSAGES, (GoldenQuery("q", "What do ships pay?", {"a": 1}),), "0" * 64)


def test_passages_of_one_source_are_one_document() -> None:
    assert {name: [each.doc_id for each in parts] for name, parts in grouped(SET).items()} == {
        "Harbour": ["a", "b"],
        "book": ["book-0-100", "book-100-200"],
    }


async def test_every_way_to_search_has_a_row() -> None:
    rows = await measure(SET, 10, with_vectors=False)
    assert [(row["documents_first"], row["ndcg@10"], row["documents"]) for row in rows] == [(False, 1.0, 2), (True, 1.0, 2)]
