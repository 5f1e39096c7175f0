"""What every source of a further list does, on passages in three languages."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import pytest

from footnote.adapters.in_process.ranked_lists import Entity, Graph, LateInteraction, Relation, Summary, SummaryTree
from footnote.ports import RankedLists, Readable, Scope
from footnote.text.tokens import content_terms
from footnote.types import Query

TEXTS = {
    "en": ("Anna built the harbour bridge.", "The harbour bridge leads to Elmby.", "Soup is served at noon."),
    "de": ("Anna baute die Hafenbrücke.", "Die Hafenbrücke führt nach Elmby.", "Suppe gibt es am Mittag."),
    "ko": ("안나가 항구다리를 지었다.", "항구다리는 엘름비로 이어진다.", "점심에 수프가 나온다."),
}
QUESTIONS = {"en": "Who built the harbour bridge?", "de": "Wer baute die Hafenbrücke?", "ko": "항구다리는 누가 지었나요?"}
BRIDGES = {"en": "harbour bridge", "de": "Hafenbrücke", "ko": "항구다리"}
ALL = ("1", "2", "3")


def readable(*chunk_ids: str) -> Readable:
    async def gate(asked: Collection[str]) -> frozenset[str]:
        return frozenset(asked) & frozenset(chunk_ids)

    return gate


def rows(texts: Any) -> Any:
    """A unit vector for each term, the same for the same term."""
    terms = [term for text in texts for term in text]
    made = np.zeros((len(terms), 512), dtype=np.float32)
    for at, term in enumerate(terms):
        made[at, hash_of(term)] = 1.0
    return made


def hash_of(term: str) -> int:
    return sum(ord(letter) * (at + 1) ** 2 for at, letter in enumerate(term)) % 512


def late_interaction(lang: str) -> RankedLists:
    async def tokens(query: Query) -> Any:
        return rows([content_terms(query.text, query.lang)])

    passages = {str(at): rows([content_terms(text, lang)]) for at, text in enumerate(TEXTS[lang], start=1)}
    return LateInteraction(tokens, {"default": passages})


def summary_tree(lang: str) -> RankedLists:
    one, two, three = TEXTS[lang]
    return SummaryTree({"default": [Summary(f"{one} {two}", ("1", "2"), lang), Summary(one, ("1",), lang), Summary(three, ("3",), lang)]})


def graph(lang: str) -> RankedLists:
    one, two, _ = TEXTS[lang]
    bridge = BRIDGES[lang]
    entities = [Entity(bridge, ("1", "2"), lang), Entity("Anna", ("1",), lang), Entity("Elmby", ("2",), lang)]
    return Graph({"default": (entities, [Relation("Anna", bridge, one, "1", lang), Relation(bridge, "Elmby", two, "2", lang)])})


SOURCES: dict[str, Callable[[str], RankedLists]] = {"late interaction": late_interaction, "summary tree": summary_tree, "graph": graph}
each_source = pytest.mark.parametrize("source", SOURCES.values(), ids=list(SOURCES))


async def ids(source: RankedLists, lang: str, scope: Scope, text: str | None = None) -> list[str]:
    found = await source.search(Query(QUESTIONS[lang] if text is None else text, lang=lang), scope)
    scores = [entry.score for entry in found.items]
    assert scores == sorted(scores, reverse=True)
    return [entry.chunk_id for entry in found.items]


@each_source
@pytest.mark.parametrize("lang", list(TEXTS))
async def test_the_passages_about_it_are_found_best_first(source: Any, lang: str) -> None:
    assert (await ids(source(lang), lang, Scope("default", readable(*ALL))))[:2] == ["1", "2"]
    assert "3" not in (await ids(source(lang), lang, Scope("default", readable(*ALL))))[:2]


@each_source
@pytest.mark.parametrize("lang", list(TEXTS))
async def test_unreadable_passages_are_not_found_and_change_nothing_else(source: Any, lang: str) -> None:
    assert "1" not in await ids(source(lang), lang, Scope("default", readable("2", "3")))
    assert await ids(source(lang), lang, Scope("default", readable())) == []


@each_source
async def test_a_list_has_at_most_its_limit_of_readable_passages(source: Any) -> None:
    assert await ids(source("en"), "en", Scope("default", readable(*ALL), limit=1)) == ["1"]


@each_source
async def test_another_collection_and_an_empty_question_find_nothing(source: Any) -> None:
    assert await ids(source("en"), "en", Scope("side", readable(*ALL))) == []
    assert await ids(source("en"), "en", Scope("default", readable(*ALL)), text="") == []


async def test_late_interaction_fills_its_list_behind_passages_that_may_not_be_read() -> None:
    assert await ids(late_interaction("en"), "en", Scope("default", readable("2"), limit=1)) == ["2"]


async def test_a_summary_leads_nowhere_if_a_passage_under_it_may_not_be_read() -> None:
    assert await ids(summary_tree("en"), "en", Scope("default", readable("1"))) == ["1"]
    assert await ids(summary_tree("en"), "en", Scope("default", readable("2"))) == []


async def test_summaries_are_compared_by_vectors_of_the_same_embedder() -> None:
    near, far = np.array([1, 0], dtype=np.float32), np.array([0, 1], dtype=np.float32)
    tree = SummaryTree({"default": [Summary("x", ("1",), vector=far, embedder="e"), Summary("y", ("2",), vector=near, embedder="e")]})
    query = Query("soup", vector=near, embedder="e")
    assert [entry.chunk_id for entry in (await tree.search(query, Scope("default", readable(*ALL)))).items] == ["2"]
    other = Query("soup", vector=near, embedder="other")
    assert (await tree.search(other, Scope("default", readable(*ALL)))).items == ()


CHAIN = Graph(
    {
        "default": (
            [Entity(name, (f"{name}0",)) for name in ("Anna", "Bert", "Cem", "Dora")],
            [
                Relation("Anna", "Bert", "Anna taught Bert", "ab"),
                Relation("Bert", "Cem", "Bert married Cem", "bc"),
                Relation("Cem", "Dora", "Cem paid Dora", "cd"),
            ],
        )
    }
)
CHUNKS = ("Anna0", "Bert0", "Cem0", "Dora0", "ab", "bc", "cd")


async def test_a_graph_leads_over_two_relations_the_nearest_first() -> None:
    found = await CHAIN.search(Query("Where is Anna?"), Scope("default", readable(*CHUNKS)))
    assert [entry.chunk_id for entry in found.items] == ["Anna0", "Bert0", "ab", "Cem0", "bc"]
    assert [fact.text for fact in found.facts] == ["Anna taught Bert", "Bert married Cem"]


async def test_a_graph_follows_no_relation_that_may_not_be_read() -> None:
    found = await CHAIN.search(Query("Where is Anna?"), Scope("default", readable(*set(CHUNKS) - {"ab"})))
    assert [entry.chunk_id for entry in found.items] == ["Anna0"]
    assert found.facts == ()


async def test_relations_are_found_without_a_named_entity() -> None:
    said = Relation("Elmby", "Oakham", "Elmby closed the mountain pass to Oakham in winter", "p")
    roads = Graph({"default": ([Entity("Elmby", ("e",)), Entity("Oakham", ("o",))], [said])})
    found = await roads.search(Query("When is the mountain pass closed?"), Scope("default", readable("p", "e", "o")))
    assert [entry.chunk_id for entry in found.items] == ["p", "e", "o"]
    assert found.facts[0].chunk_id == "p"
    assert (await roads.search(Query("When is the bakery closed?"), Scope("default", readable("p", "e", "o")))).items == ()
