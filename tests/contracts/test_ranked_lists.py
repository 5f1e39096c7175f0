"""What every source of a further list does, over what is built of passages in three languages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import pytest

from footnote.knowledge.entities import pack as pack_graph
from footnote.knowledge.entities import read_document
from footnote.knowledge.graph import Graph
from footnote.knowledge.late_interaction import pack_tokens
from footnote.knowledge.summary_tree import SummaryTree
from footnote.knowledge.token_search import TokenSearch
from footnote.knowledge.tree import Summary
from footnote.knowledge.tree import pack as pack_summaries
from footnote.ports import Built, Layer, LayerScope, RankedLists, Scope
from footnote.types import Caller, Candidate, Chunk, Query
from tests.fakes import FakeTokenEmbedder, make_document, put_document

pytestmark = pytest.mark.usefixtures("small_trees")

RECIPE = "made now"
EMBEDDER = FakeTokenEmbedder(dimension=64)
ABOUT, LINKED, OTHER = "about|1|0", "linked|1|0", "other|1|0"
TITLES = {
    "en": ("Kestrel Bridge", "Edith Marlow", "Bert Olsen"),
    "de": ("Falken-Turm", "Otto Maurer", "Bernd Olsen"),
    "ko": ("부산항만공사", "김안나", "박서준"),
}
TEXTS = {
    "en": ("Edith Marlow built the Kestrel Bridge.", "The Kestrel Bridge made her known to Bert Olsen.", "Soup is served at noon."),
    "de": ("Otto Maurer baute den Falken-Turm.", "Der Falken-Turm machte ihn mit Bernd Olsen bekannt.", "Suppe gibt es am Mittag."),
    "ko": ("부산항만공사는 김안나가 세웠다.", "부산항만공사에서 박서준을 만났다.", "점심에 수프가 나온다."),
}
QUESTIONS = {"en": "Who built the Kestrel Bridge?", "de": "Wer baute den Falken-Turm?", "ko": "부산항만공사는 누가 세웠나요?"}
SEEDS = (Candidate(ABOUT, 1.0), Candidate(LINKED, 0.5), Candidate(OTHER, 0.1))
"""What words and vectors find."""

Build = Callable[[Any, Sequence[Chunk]], Awaitable[RankedLists]]


async def graph(index: Any, chunks: Sequence[Chunk]) -> RankedLists:
    graphs = [graph for chunk in chunks for graph in read_document([chunk])]
    built = [Built(chunk.chunk_id, pack_graph(graph), graph.keys) for chunk, graph in zip(chunks, graphs, strict=True)]
    await index.put_built(layer("graph"), built)
    return Graph(index)


async def late_interaction(index: Any, chunks: Sequence[Chunk]) -> RankedLists:
    await index.put_built(layer("tokens"), [Built(chunk.chunk_id, pack_tokens(EMBEDDER.tokens(chunk.text))) for chunk in chunks])
    return TokenSearch(index, lambda collection: EMBEDDER)


async def summary_tree(index: Any, chunks: Sequence[Chunk]) -> RankedLists:
    one, two, three = chunks
    made = [of(one), of(one, two), of(three)]
    await index.put_built(
        layer("tree"), [Built(home, pack_summaries([each for each in made if each.home == home])) for home in (ABOUT, OTHER)]
    )
    return SummaryTree(index, index)


def of(*below: Chunk) -> Summary:
    return Summary(below[0].text, EMBEDDER.vector(below[0].text), tuple(chunk.chunk_id for chunk in below), below[0].chunk_id)


def layer(name: Layer) -> LayerScope:
    return LayerScope("default", name, RECIPE)


SOURCES: dict[str, Build] = {"late interaction": late_interaction, "summary tree": summary_tree, "graph": graph}
BEST: dict[Build, list[str]] = {late_interaction: [ABOUT, LINKED], summary_tree: [ABOUT, LINKED], graph: [LINKED, OTHER]}
"""The first two passages that each finds. A graph leads from each passage to the next one."""
each_source = pytest.mark.parametrize("build", SOURCES.values(), ids=list(SOURCES))
each_language = pytest.mark.parametrize("lang", list(TEXTS))


async def built(index: Any, build: Build, lang: str = "en", hidden: Collection[str] = ()) -> RankedLists:
    """The source over three passages. `hidden`: those that only the board may read."""
    chunks = []
    for chunk_id, text, title in zip((ABOUT, LINKED, OTHER), TEXTS[lang], TITLES[lang], strict=True):
        document = make_document(chunk_id.split("|")[0], title=title, groups=["board"] if chunk_id in hidden else ["staff"])
        chunks += await put_document(index, document, [text], lang=lang)
    return await build(index, chunks)


def scope_of(index: Any, caller: Caller, without: Collection[str] = (), **changes: Any) -> Scope:
    """`without`: what the request filters out."""

    async def readable(asked: Collection[str]) -> frozenset[str]:
        return frozenset(chunk.chunk_id for chunk in await index.read(caller, list(asked)) if chunk.chunk_id not in without)

    return Scope(**{"collection": "default", "caller": caller, "readable": readable, "recipe": RECIPE, "seeds": SEEDS, **changes})


async def ids(source: RankedLists, scope: Scope, lang: str = "en", text: str | None = None) -> list[str]:
    question = QUESTIONS[lang] if text is None else text
    found = await source.search(Query(question, vector=EMBEDDER.vector(question) if question else None, lang=lang), scope)
    scores = [entry.score for entry in found.items]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    return [entry.chunk_id for entry in found.items]


@each_source
@each_language
async def test_the_passages_about_it_are_found_best_first(build: Build, lang: str, index: Any, me: Caller) -> None:
    found = await ids(await built(index, build, lang), scope_of(index, me), lang)
    assert found[:2] == BEST[build]


@each_source
@each_language
async def test_unreadable_passages_are_not_found_and_lead_nowhere(build: Build, lang: str, index: Any, me: Caller) -> None:
    hidden, _ = BEST[build]
    source = await built(index, build, lang, hidden=[hidden])
    found = await ids(source, scope_of(index, me), lang)
    assert hidden not in found
    assert build is not graph or OTHER not in found
    seen = scope_of(index, me, seeds=tuple(entry for entry in SEEDS if entry.chunk_id != hidden))
    before = await source.search(Query(QUESTIONS[lang], vector=EMBEDDER.vector(QUESTIONS[lang]), lang=lang), seen)
    await index.remove(hidden.split("|")[0], 1)
    assert await source.search(Query(QUESTIONS[lang], vector=EMBEDDER.vector(QUESTIONS[lang]), lang=lang), seen) == before


@each_source
async def test_who_may_read_nothing_finds_nothing(build: Build, index: Any, stranger: Caller) -> None:
    assert await ids(await built(index, build), scope_of(index, stranger)) == []


@each_source
async def test_what_the_request_filters_out_is_not_found(build: Build, index: Any, me: Caller) -> None:
    source = await built(index, build)
    assert ABOUT not in await ids(source, scope_of(index, me, without=[ABOUT], seeds=SEEDS[1:]))
    assert LINKED not in await ids(source, scope_of(index, me, without=[LINKED]))


@each_source
async def test_a_list_has_at_most_its_limit_of_readable_passages(build: Build, index: Any, me: Caller) -> None:
    source = await built(index, build)
    assert await ids(source, scope_of(index, me, limit=1)) == BEST[build][:1]
    if build is not summary_tree:  # no summary is above LINKED alone
        assert len(await ids(source, scope_of(index, me, without=[ABOUT], limit=1))) == 1


@each_source
async def test_another_collection_and_an_empty_question_find_nothing(build: Build, index: Any, me: Caller) -> None:
    source = await built(index, build)
    assert await ids(source, scope_of(index, me, collection="side")) == []
    assert await ids(source, scope_of(index, me, seeds=()), text="") == []


@each_source
async def test_what_another_recipe_made_is_not_read(build: Build, index: Any, me: Caller) -> None:
    source = await built(index, build)
    assert await ids(source, replace(scope_of(index, me), recipe="made later")) == []


@each_source
async def test_passages_that_are_equally_good_are_in_the_order_of_their_ids(build: Build, index: Any, me: Caller) -> None:
    chunks = []
    for doc_id in ("b", "c", "a"):
        chunks += await put_document(index, make_document(doc_id, title="Edith Marlow"), ["The Kestrel Bridge was built in 1894."])
    leading = await put_document(index, make_document("other"), ["Edith Marlow liked soup."])
    source = await build(index, [*leading, *chunks]) if build is not summary_tree else SummaryTree(index, index)
    if build is summary_tree:
        vector = EMBEDDER.vector(QUESTIONS["en"])
        await index.put_built(layer("tree"), [Built("b|1|0", pack_summaries([Summary("x", vector, ("b|1|0", "c|1|0", "a|1|0"), "b|1|0")]))])
    seeds = tuple(Candidate(chunk.chunk_id, 1.0) for chunk in (*leading, *chunks))
    found = await ids(source, scope_of(index, me, seeds=seeds))
    assert [chunk_id for chunk_id in found if chunk_id != OTHER] == ["a|1|0", "b|1|0", "c|1|0"]
