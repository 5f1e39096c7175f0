"""The tree of summaries as passages come and go: what is added to it, and when it is grouped again as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ingest import knowledge
from footnote.ports import Built, LayerScope
from tests.fakes import build_all, embed_all, switch_on
from tests.footnote.ingest.knowledge_cores import SHIPS, SOUPS, TOWERS, TUNNELS, Open, put, states, summaries

UNLIKE = (
    "Lanterns glow.", "Walruses dive deep.", "Copper conducts heat.", "Violins need rosin.", "Glaciers shrink yearly.",
    "Bakers rise early.", "Rockets burn kerosene.", "Poets count syllables.", "Moss covers granite.", "Judges wear robes.",
)  # fmt: skip


@pytest.fixture
async def core(open_builder: Open) -> Core:
    made = open_builder()
    await switch_on(made, "summary_tree")
    return made


async def add(core: Core, doc_id: str, *texts: str, generation: int = 1) -> None:
    """A document with its vectors, and what is built of it."""
    await put(core, doc_id, texts, title="", generation=generation)
    await embed_all(core)
    await build_all(core)


async def below(core: Core, layer: int = 0) -> list[list[str]]:
    """The documents below each summary."""
    return sorted(sorted({chunk_id.split("|")[0] for chunk_id in each.chunk_ids}) for each in await summaries(core, layer))


@asynccontextmanager
async def writes(core: Core, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[tuple[str, list[str]]]]:
    """(layer, passages) of what is written meanwhile; a layer that is dropped has none."""
    seen: list[tuple[str, list[str]]] = []
    put_built, drop_built = type(core.knowledge).put_built, type(core.knowledge).drop_built

    async def put_(self: Any, scope: LayerScope, items: Sequence[Built]) -> None:
        seen.append((scope.layer, [item.chunk_id for item in items]))
        await put_built(self, scope, items)

    async def drop(self: Any, collection: str, layer: Any) -> None:
        seen.append((layer, []))
        await drop_built(self, collection, layer)

    with monkeypatch.context() as patch:
        patch.setattr(type(core.knowledge), "put_built", put_)
        patch.setattr(type(core.knowledge), "drop_built", drop)
        yield seen


def look_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time between two looks is over."""
    monkeypatch.setattr(knowledge, "LOOK_S", 0.0)


async def test_what_came_document_by_document_is_grouped_together(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, text in enumerate(TUNNELS):
        await add(core, f"t{number}", text)
    assert await below(core) == []
    assert (await states(core))["summary_tree"].built == 4
    look_now(monkeypatch)
    await build_all(core)
    assert await below(core) == [["t0", "t1", "t2", "t3"]]
    assert (await states(core))["summary_tree"].built == 4
    assert await core.knowledge_builder.build_some() == 0


async def test_a_tree_that_lost_much_is_grouped_again(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, text in enumerate((*TUNNELS, "The secret tunnel under the river has six lamps.")):
        await put(core, f"t{number}", [text], title="")
    await embed_all(core)
    await build_all(core)
    assert await below(core) == [["t0", "t1", "t2", "t3", "t4"]]
    (summary,) = await summaries(core)
    gone = next(doc_id for doc_id in ("t3", "t4") if not summary.home.startswith(doc_id))
    await core.generations.remove(gone, 1)
    await build_all(core)
    assert await below(core) == [["t0", "t1", "t2", "t3", "t4"]]  # not at once
    look_now(monkeypatch)
    await build_all(core)
    assert await below(core) == [sorted({"t0", "t1", "t2", "t3", "t4"} - {gone})]
    assert await core.knowledge_builder.build_some() == 0


async def test_passages_that_are_unlike_each_other_are_grouped_once(
    core: Core, open_builder: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_now(monkeypatch)
    await add(core, "first", *UNLIKE[:8])
    assert await below(core) == []
    async with writes(core, monkeypatch) as seen:
        await add(core, "second", UNLIKE[8])  # one of nine is too few to group all again
        assert ("tree", []) not in seen
        again = open_builder()
        await build_all(again)
        await add(again, "third", UNLIKE[9])  # two of ten are enough
        assert seen.count(("tree", [])) == 1
        for _ in range(3):
            assert await again.knowledge_builder.build_some() == 0
        assert seen.count(("tree", [])) == 1
    assert (await states(again))["summary_tree"].built == 10


async def test_what_comes_between_two_looks_is_done_alone(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await add(core, "tunnels", *TUNNELS)
    async with writes(core, monkeypatch) as seen:
        await add(core, "soups", *SOUPS)
    soups = [f"soups|1|{number}" for number in range(4)]
    assert [(layer, sorted(ids)) for layer, ids in seen] == [("tree", soups), ("themes", soups)]
    assert await below(core) == [["soups"], ["tunnels"]]
    assert (await states(core))["summary_tree"].built == 8


async def test_a_look_that_changes_nothing_writes_nothing(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    await add(core, "tunnels", *TUNNELS)
    await add(core, "soups", *SOUPS)
    look_now(monkeypatch)
    async with writes(core, monkeypatch) as seen:
        await build_all(core)
        assert seen == []


async def test_an_unchanged_tree_is_not_read_at_a_start(core: Core, open_builder: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    look_now(monkeypatch)
    await add(core, "tunnels", *TUNNELS)
    again = open_builder()

    async def built_in(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(type(again.knowledge), "built_in", built_in)
    for _ in range(3):
        assert await again.knowledge_builder.build_some() == 0


async def test_summaries_above_the_tree_are_made_again_once_it_has_changed(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.knowledge.tree.LEAST", -1.0)
    monkeypatch.setattr("footnote.knowledge.tree.MOST", 4)
    topics = {"tunnels": TUNNELS, "soups": SOUPS, "towers": TOWERS, "ships": SHIPS}
    for doc_id, texts in topics.items():
        await put(core, doc_id, texts, title="")
    await embed_all(core)
    await build_all(core)
    assert await below(core) == [[doc_id] for doc_id in sorted(topics)]
    (theme,) = await summaries(core, 1)
    assert len(theme.chunk_ids) == 16
    look_now(monkeypatch)
    async with writes(core, monkeypatch) as seen:
        await add(core, "soups", *SOUPS, generation=2)
    assert ("tree", []) not in seen
    (theme,) = await summaries(core, 1)
    assert {chunk_id for chunk_id in theme.chunk_ids if chunk_id.startswith("soups")} == {f"soups|2|{number}" for number in range(4)}
    assert await core.knowledge_builder.build_some() == 0
