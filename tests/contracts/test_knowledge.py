"""What every index does with what is built of passages: entities and relations, summaries, token vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from footnote.ports import Built, LayerScope
from footnote.types import Caller
from tests.contracts.conftest import Open
from tests.fakes import make_chunk, make_document, put_document
from tests.nightly import DEEP

pytestmark = pytest.mark.engine
GRAPH = LayerScope("default", "graph", "1")


def made(chunk_id: str, *keys: str, data: bytes = b"x") -> Built:
    return Built(chunk_id, data, keys)


async def test_passages_wait_for_a_layer_oldest_first_by_document(index: Any) -> None:
    await put_document(index, make_document(), ["one", "two"])
    await put_document(index, make_document("b"), ["three"])
    await put_document(index, make_document("c", collection="other"), ["four"])
    other = make_document("d")
    await index.stage(other, [make_chunk(other, "later")], [((0, 5),)])
    assert [chunk.text for chunk in await index.unbuilt(GRAPH, 9)] == ["one", "two", "three"]
    assert [chunk.chunk_id for chunk in await index.unbuilt(GRAPH, 2)] == ["plan|1|0", "plan|1|1"]
    assert await index.layer_progress(GRAPH) == (0, 3)
    await index.put_built(GRAPH, [made("plan|1|0"), made("b|1|0", data=b"")])
    assert [chunk.text for chunk in await index.unbuilt(GRAPH, 9)] == ["two"]
    assert await index.layer_progress(GRAPH) == (2, 3)
    assert await index.layer_progress(replace(GRAPH, layer="tokens")) == (0, 3)
    assert await index.layer_progress(replace(GRAPH, collection="nowhere")) == (0, 0)
    assert await index.unbuilt(replace(GRAPH, collection="nowhere"), 9) == []


async def test_sections_and_outlines_get_no_layer(index: Any) -> None:
    document = make_document()
    chunks = [
        replace(make_chunk(document, text, number), level=level) for number, (text, level) in enumerate((("a", 0), ("b", 1), ("c", 2)))
    ]
    await index.stage(document, chunks, [((0, 1),)] * 3)
    await index.activate(document.doc_id, 1)
    assert [chunk.text for chunk in await index.unbuilt(GRAPH, 9)] == ["c"]
    assert await index.layer_progress(GRAPH) == (0, 1)


async def test_what_is_built_is_read_by_those_who_may_read_the_passage(index: Any, me: Caller, stranger: Caller) -> None:
    await put_document(index, make_document(), ["one", "two"])
    await put_document(index, make_document("b", groups=["board"]), ["three"])
    await put_document(index, make_document("c", collection="other"), ["four"])
    ids = ["plan|1|0", "plan|1|1", "b|1|0", "c|1|0", "gone|1|0"]
    built = [made("plan|1|0", "ann", data=bytes(range(256))), made("plan|1|1", data=b""), made("b|1|0", "ann", "bob")]
    await index.put_built(GRAPH, [*built, made("c|1|0", "ann"), made("gone|1|0", "ann")])
    assert await index.built(me, GRAPH, ids) == {"plan|1|0": bytes(range(256)), "plan|1|1": b""}
    assert await index.built_in(me, GRAPH) == {"plan|1|0": bytes(range(256))}
    assert await index.keyed(me, GRAPH, ["ann", "bob", "ann"], 9) == {"ann": ("plan|1|0",)}
    board = Caller("x", groups=frozenset({"board"}))
    assert await index.keyed(board, GRAPH, ["ann", "bob"], 9) == {"ann": ("b|1|0",), "bob": ("b|1|0",)}
    assert (await index.built(stranger, GRAPH, ids), await index.built_in(stranger, GRAPH)) == ({}, {})
    assert await index.keyed(stranger, GRAPH, ["ann"], 9) == {}
    assert await index.built_in(me, replace(GRAPH, collection="nowhere")) == {}
    assert await index.keyed(me, replace(GRAPH, collection="nowhere"), ["ann"], 9) == {}
    assert (await index.keyed(me, GRAPH, [], 9), await index.built(me, GRAPH, [])) == ({}, {})


async def test_what_another_recipe_made_is_neither_read_nor_kept(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["one", "two"])
    await index.put_built(GRAPH, [made("plan|1|0", "ann"), made("plan|1|1", "ann")])
    newer = replace(GRAPH, recipe="2")
    assert (await index.built_in(me, newer), await index.keyed(me, newer, ["ann"], 9)) == ({}, {})
    assert len(await index.unbuilt(newer, 9)) == 2
    await index.put_built(newer, [made("plan|1|0", "bob", data=b"y")])
    assert await index.keyed(me, GRAPH, ["ann", "bob"], 9) == {"ann": ("plan|1|1",)}
    assert await index.keyed(me, newer, ["ann", "bob"], 9) == {"bob": ("plan|1|0",)}
    assert await index.built_in(me, newer) == {"plan|1|0": b"y"}


async def test_a_key_finds_a_limited_number_of_passages_in_order(index: Any, me: Caller) -> None:
    chunks = await put_document(index, make_document(), ["one", "two", "three"])
    await index.put_built(GRAPH, [made(chunk.chunk_id, "ann") for chunk in reversed(chunks)])
    assert await index.keyed(me, GRAPH, ["ann"], 2) == {"ann": ("plan|1|0", "plan|1|1")}


async def test_a_dropped_layer_is_gone_and_the_others_stay(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["one"])
    await put_document(index, make_document("c", collection="other"), ["four"])
    tokens, elsewhere = replace(GRAPH, layer="tokens"), replace(GRAPH, collection="other")
    for scope in (GRAPH, tokens, elsewhere):
        await index.put_built(scope, [made("plan|1|0", "ann"), made("c|1|0", "ann")])
    await index.drop_built("default", "graph")
    await index.drop_built("nowhere", "graph")
    assert (await index.built_in(me, GRAPH), await index.keyed(me, GRAPH, ["ann"], 9)) == ({}, {})
    assert await index.keyed(me, tokens, ["ann"], 9) == {"ann": ("plan|1|0",)}
    assert await index.keyed(me, elsewhere, ["ann"], 9) == {"ann": ("c|1|0",)}
    assert [chunk.chunk_id for chunk in await index.unbuilt(GRAPH, 9)] == ["plan|1|0"]


async def test_building_and_dropping_change_the_version_of_the_collection(index: Any, me: Caller) -> None:
    await put_document(index, make_document(), ["one"])
    versions = [(await index.view(me, "default")).version]
    await index.put_built(GRAPH, [made("plan|1|0", "ann")])
    versions.append((await index.view(me, "default")).version)
    await index.drop_built("default", "graph")
    versions.append((await index.view(me, "default")).version)
    assert versions == sorted(set(versions))


async def test_another_client_reads_what_was_built(open_index: Open, me: Caller) -> None:
    index, other = await open_index(), await open_index()
    await put_document(index, make_document(), ["one"])
    await index.put_built(GRAPH, [made("plan|1|0", "ann")])
    assert await other.keyed(me, GRAPH, ["ann"], 9) == {"ann": ("plan|1|0",)}


async def test_what_a_deleted_document_supported_is_gone_at_once(index: Any, me: Caller, request: pytest.FixtureRequest) -> None:
    """Random changes, each followed by reads that must agree with a simple model: no key leads to a passage that is not there."""
    number = random.Random(7)
    held: dict[str, tuple[int, dict[str, tuple[str, ...]], str]] = {}
    steps = 1000 if DEEP or "sqlite" in request.node.name else 250  # an engine over HTTP takes 20 ms for each
    names = ["ann", "bob", "cyd", "acme"]
    for step in range(steps):
        doc_id = f"d{number.randrange(6)}"
        match number.choice(("put", "build", "build", "remove")):
            case "put":
                generation = step + 1
                groups = number.choice((["staff"], ["board"]))
                texts = [f"text {step} {place}" for place in range(number.randrange(1, 4))]
                chunks = await put_document(index, make_document(doc_id, generation=generation, groups=groups), texts)
                held[doc_id] = generation, {chunk.chunk_id: () for chunk in chunks}, groups[0]
            case "build":
                waiting = [chunk.chunk_id for chunk in await index.unbuilt(GRAPH, number.randrange(1, 5))]
                keys = {chunk_id: tuple(number.sample(names, number.randrange(1, 3))) for chunk_id in waiting}
                await index.put_built(GRAPH, [made(chunk_id, *its) for chunk_id, its in keys.items()])
                for chunk_id, its in keys.items():
                    held[chunk_id.split("|")[0]][1][chunk_id] = its
            case "remove" if doc_id in held:
                await index.remove(doc_id, held.pop(doc_id)[0])
        assert await index.keyed(me, GRAPH, names, 99) == (expected := _expected(held, names, "staff"))
        assert set(await index.built_in(me, GRAPH)) == {chunk_id for ids in expected.values() for chunk_id in ids}


def _expected(held: dict[str, Any], names: Sequence[str], group: str) -> dict[str, tuple[str, ...]]:
    found = {name: [] for name in names}  # type: dict[str, list[str]]
    for _, chunks, readers in sorted((each for each in held.values()), key=lambda each: each[0]):
        for chunk_id, keys in chunks.items():
            for key in keys if readers == group else ():
                found[key].append(chunk_id)
    return {name: tuple(ids) for name, ids in found.items() if ids}
