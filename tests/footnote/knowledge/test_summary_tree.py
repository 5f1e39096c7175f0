"""The search through summaries: which are followed, and how long they are kept in memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.knowledge import summary_tree
from footnote.knowledge.recipes import scopes_of
from footnote.knowledge.summary_tree import SummaryTree
from footnote.knowledge.tree import BEST, Summary, pack
from footnote.ports import Built, LayerScope, Scope
from footnote.settings import LLM, Embedding, Settings
from footnote.types import SYSTEM, Caller, Query
from tests.fakes import FakeEmbedder, build_all, embed_all, make_document, put_document, switch_on

pytestmark = pytest.mark.usefixtures("small_trees")

EMBEDDER = FakeEmbedder(dimension=64)
TREE, THEMES = scopes_of("default", "summary_tree", "rules", EMBEDDER)
STAFF, BOARD = Caller("me", frozenset({"staff"})), Caller("you", frozenset({"staff", "board"}))
QUESTION = "Where is the secret tunnel?"


@pytest.fixture
async def core(tmp_path: Path) -> AsyncIterator[Core]:
    made = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    made.embedder = EMBEDDER
    yield made
    await made.close()


@pytest.fixture
async def tree(core: Core) -> SummaryTree:
    for doc_id, groups in (("a", ["staff"]), ("b", ["staff"]), ("c", ["board"])):
        await put_document(core.generations, make_document(doc_id, groups=groups), ["one", "two"])
    return SummaryTree(core.knowledge, core.index)


async def put(core: Core, *summaries: Summary, layer: LayerScope = TREE) -> None:
    """The summaries at their passages."""
    homes = dict.fromkeys(each.home for each in summaries)
    await core.knowledge.put_built(layer, [Built(home, pack([each for each in summaries if each.home == home])) for home in homes])


def summary(said: str, *below: str) -> Summary:
    return Summary(said, EMBEDDER.vector(said), tuple(f"{each[0]}|1|{each[1]}" for each in below), f"{below[0][0]}|1|{below[0][1]}")


async def found(core: Core, tree: SummaryTree, caller: Caller = STAFF, without: Collection[str] = (), **changes: Any) -> list[str]:
    """Ids of the passages, without the generation."""

    async def readable(asked: Collection[str]) -> frozenset[str]:
        return frozenset(chunk.chunk_id for chunk in await core.index.read(caller, list(asked)) if chunk.chunk_id not in without)

    scope = Scope(**{"collection": "default", "caller": caller, "readable": readable, "recipe": TREE.recipe, **changes})
    result = await tree.search(Query(QUESTION, vector=EMBEDDER.vector(QUESTION)), scope)
    assert all(0 < entry.score <= 1 for entry in result.items)
    return [entry.chunk_id.replace("|1|", "") for entry in result.items]


async def test_a_summary_leads_to_the_passages_below_it(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0", "b1"), summary("Soup at noon.", "a1", "b0"))
    assert (await found(core, tree))[:2] == ["a0", "b1"]


async def test_a_tree_of_few_summaries_is_not_searched(core: Core, tree: SummaryTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    vector = EMBEDDER.vector(QUESTION)
    await put(core, *(Summary(f"{n}", vector, ("a|1|0", "b|1|0"), "a|1|0") for n in range(BEST)))
    assert await found(core, tree) == []
    await put(core, *(Summary(f"{n}", vector, ("a|1|0", "b|1|0"), "a|1|0") for n in range(BEST + 1)))
    assert await found(core, tree) != []


async def test_a_theme_leads_to_all_passages_below_its_summaries(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0", "a1", "b0"), layer=THEMES)
    await put(core, summary("A secret tunnel.", "a0", "a1"))
    assert await found(core, tree) == ["a0", "a1", "b0"]  # those below both come first


async def test_a_summary_is_followed_only_if_all_below_it_can_be_read(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0", "c0"), summary("A tunnel.", "a1", "b0"), summary("Secret.", "c1", "b1"))
    assert await found(core, tree) == ["a1", "b0"]
    assert set(await found(core, tree, BOARD)) == {"a0", "c0", "a1", "b0", "c1", "b1"}
    assert await found(core, tree, Caller("guest", frozenset())) == []


async def test_a_summary_of_a_passage_that_is_gone_is_not_followed(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0", "b0"), summary("A tunnel.", "a1"))
    await put_document(core.generations, make_document("b", generation=2), ["one"])
    assert await found(core, tree) == ["a1"]


async def test_a_summary_of_what_the_request_filters_out_is_not_followed(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0", "b0"), summary("A tunnel.", "a1"))
    assert await found(core, tree, without=["b|1|0"]) == ["a1"]


async def test_summaries_that_may_not_be_read_take_no_place(core: Core, tree: SummaryTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_tree, "AT_ONCE", 2)
    nearer = [summary(f"The secret tunnel {number}.", "a0", "c0") for number in range(BEST * 2)]
    await put(core, *nearer, summary("A tunnel.", "a1", "b0"))
    assert await found(core, tree) == ["a1", "b0"]


async def test_a_list_has_at_most_its_limit_and_ties_are_in_the_order_of_ids(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "b0", "a1", "a0"))
    assert await found(core, tree) == ["a0", "a1", "b0"]
    assert await found(core, tree, limit=2) == ["a0", "a1"]


async def test_without_a_vector_nothing_is_found(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0"))
    assert (await tree.search(Query(QUESTION), Scope("default", STAFF, asking_nobody, TREE.recipe))).items == ()


async def asking_nobody(asked: Collection[str]) -> frozenset[str]:
    raise AssertionError(asked)


@asynccontextmanager
async def reads(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """The layers that are read meanwhile."""
    read: list[str] = []
    original = SqliteIndex.built_in

    async def built_in(self: SqliteIndex, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        read.append(scope.layer)
        return await original(self, caller, scope)

    with monkeypatch.context() as patch:
        patch.setattr(SqliteIndex, "built_in", built_in)
        yield read


async def test_summaries_are_kept_until_the_collection_changes(core: Core, tree: SummaryTree, monkeypatch: pytest.MonkeyPatch) -> None:
    await put(core, summary("The secret tunnel.", "a0"))
    async with reads(monkeypatch) as read:
        assert [await found(core, tree) for _ in range(3)] == [["a0"]] * 3
        assert read == ["tree", "themes"]
    await put(core, summary("The secret tunnel.", "a1"))
    async with reads(monkeypatch) as read:
        assert set(await found(core, tree)) == {"a0", "a1"}
        assert read == ["tree", "themes"]


async def test_what_is_kept_for_some_is_not_given_to_others(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "c0"), summary("A tunnel.", "a0"))
    assert await found(core, tree, BOARD) == ["c0", "a0"]
    assert await found(core, tree) == ["a0"]
    assert await found(core, tree, SYSTEM) == ["c0", "a0"]
    assert await found(core, tree) == ["a0"]


async def test_only_so_many_collections_are_kept(core: Core, tree: SummaryTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_tree, "MOST_KEPT", 2)
    await put(core, summary("The secret tunnel.", "a0"))
    async with reads(monkeypatch) as read:
        for caller in (STAFF, BOARD, SYSTEM, STAFF, SYSTEM):
            await found(core, tree, caller)
        assert len(read) == 2 * 4  # the first had to make place, and was read again


async def test_what_another_embedder_made_is_not_read(core: Core, tree: SummaryTree) -> None:
    await put(core, summary("The secret tunnel.", "a0"))
    (other, _) = scopes_of("default", "summary_tree", "rules", FakeEmbedder("other"))
    assert await found(core, tree, recipe=other.recipe) == []


async def test_passages_are_found_by_the_tree_that_was_built_of_them(core: Core) -> None:
    await switch_on(core, "summary_tree")
    topics: Sequence[str] = ("The secret tunnel under the river has {} lamps.", "Soup in the canteen costs {} euros.")
    for doc_id, text in zip(("t", "s"), topics, strict=True):
        await put_document(core.generations, make_document(doc_id), [text.format(number) for number in ("two", "three", "four", "five")])
    await embed_all(core)
    await build_all(core)
    tree = SummaryTree(core.knowledge, core.index)
    assert (await found(core, tree))[:4] == ["t0", "t1", "t2", "t3"]
