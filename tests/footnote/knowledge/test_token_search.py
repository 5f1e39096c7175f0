"""The comparison of a question with the first results, token by token."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.knowledge.recipes import scopes_of
from footnote.knowledge.token_search import COMPARED, TokenSearch
from footnote.ports import Embedder, Scope
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Candidate, Query
from tests.fakes import FakeEmbedder, FakeTokenEmbedder, build_all, make_document, put_document, switch_on

ME = Caller("me", frozenset({"staff"}))
QUESTION = "Where is the secret tunnel?"
TEXTS = ("The secret tunnel is under the hill.", "The tunnel is closed.", "Soup is served at noon.")


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    made.embedder = FakeTokenEmbedder()
    await switch_on(made, "late_interaction")
    yield made
    await made.close()


async def found(
    core: Core, seeds: Collection[str], without: Collection[str] = (), embedder: Embedder | None = None, **changes: Any
) -> list[tuple[str, float]]:
    """`seeds`: ids of the first results; `without`: what the request filters out."""

    async def readable(asked: Collection[str]) -> frozenset[str]:
        return frozenset(chunk.chunk_id for chunk in await core.index.read(ME, list(asked)) if chunk.chunk_id not in without)

    (layer,) = scopes_of("default", "late_interaction", "rules", core.embedder)
    candidates = tuple(Candidate(chunk_id, 1.0) for chunk_id in seeds)
    scope = Scope(**{"collection": "default", "caller": ME, "readable": readable, "recipe": layer.recipe, "seeds": candidates, **changes})
    source = TokenSearch(core.knowledge, lambda collection: embedder or core.embedder)
    return [(entry.chunk_id, round(entry.score, 3)) for entry in (await source.search(Query(QUESTION), scope)).items]


async def put(core: Core, *texts: str, doc_id: str = "plan", groups: tuple[str, ...] = ("staff",)) -> list[str]:
    chunks = await put_document(core.generations, make_document(doc_id, groups=groups), texts)
    await build_all(core)
    return [chunk.chunk_id for chunk in chunks]


async def test_the_passage_with_most_of_the_questions_tokens_is_the_best(core: Core) -> None:
    one, two, three = await put(core, *TEXTS)
    result = await found(core, [three, two, one])
    assert [chunk_id for chunk_id, _ in result] == [one, two, three]
    assert (result[0][1], result[-1][1]) == (1.0, 0.0)
    assert 0 < result[1][1] < 1


async def test_only_first_results_are_compared(core: Core) -> None:
    one, two, three = await put(core, *TEXTS)
    assert [chunk_id for chunk_id, _ in await found(core, [two, three])] == [two, three]
    assert await found(core, []) == []
    many = await put(core, *(f"Soup {number} is served." for number in range(COMPARED)), doc_id="many")
    assert one not in dict(await found(core, [*many, one]))
    assert one in dict(await found(core, [*many[1:], one]))


async def test_a_passage_without_tokens_is_left_out(core: Core) -> None:
    one, two, _ = await put(core, *TEXTS)
    (late,) = [chunk.chunk_id for chunk in await put_document(core.generations, make_document("late"), ["The secret tunnel."])]
    assert [chunk_id for chunk_id, _ in await found(core, [late, two, one])] == [one, two]
    assert await found(core, [late]) == []


async def test_one_passage_alone_and_equal_ones_are_the_best(core: Core) -> None:
    one, two = await put(core, TEXTS[0], TEXTS[0])
    assert await found(core, [two]) == [(two, 1.0)]
    assert await found(core, [two, one]) == [(one, 1.0), (two, 1.0)]


async def test_unreadable_and_filtered_passages_neither_count_nor_are_found(core: Core) -> None:
    one, two, three = await put(core, *TEXTS)
    hidden = await put(core, "The secret tunnel.", "Where is the secret tunnel?", doc_id="board", groups=("board",))
    assert await found(core, [*hidden, one, two, three]) == await found(core, [one, two, three])
    assert await found(core, [one, two, three], without=[one]) == await found(core, [two, three])


async def test_a_list_has_at_most_its_limit(core: Core) -> None:
    one, two, three = await put(core, *TEXTS)
    assert [chunk_id for chunk_id, _ in await found(core, [three, two, one], limit=1)] == [one]


async def test_without_an_embedder_of_tokens_nothing_is_found(core: Core) -> None:
    ids = await put(core, *TEXTS)
    assert await found(core, ids, embedder=FakeEmbedder()) == []


async def test_what_another_embedder_made_is_not_compared(core: Core) -> None:
    ids = await put(core, *TEXTS)
    assert await found(core, ids, recipe="another") == []
