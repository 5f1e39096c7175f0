"""A document of `POST /insert-doc` is seen by its groups alone, also after its groups have changed."""

from __future__ import annotations

import itertools
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.leaks.channels import Channel, assert_finds_all, assert_permitted, logs_say_nothing, shares_of_channels
from tests.leaks.world import Kept, World, name_of, open_world
from tests.nightly import DEEP


async def insert(world: World, number: int, group: str) -> None:
    """Inserts a document of this group, in place of the one before; it is not processed yet."""
    canaries = f"zqbody{number}x", f"zqtitle{number}x", f"zqnumber{number}x", name_of(number)
    body, title, rare, name = canaries
    built = f"The bridge over the river was built in the year {rare}. It is known as {body}."
    content = f"{built}\n\nHow long is {body}? It is long. Its keeper is {name}."
    data = {"doc_id": "BRIDGE.1", "title": f"Bridges {title}", "content": content, "permission_groups": [group], "topics": [body]}
    reply = await world.call("root", "ingest", "POST", "/insert-doc", json={"index_name": "default", "data": data})
    assert reply.json() == {"doc_id": "BRIDGE.1", "state": "RECEIVED", "chunks": 0}
    if before := world.documents.pop("BRIDGE.1", None):
        world.gone.append(replace(before, doc_id="BRIDGE.0"))  # what it said; the id is in use
    world.documents["BRIDGE.1"] = Kept("BRIDGE.1", number, "default", frozenset({group}), canaries, ready=False)


async def check(world: World, channels: tuple[Channel, ...]) -> None:
    for person in ("ann", "bob", "cem"):
        await assert_permitted(world, person, channels)
        await assert_finds_all(world, person)
    logs_say_nothing(world)


@pytest.mark.slow("everybody asks after every change")
async def test_nobody_else_sees_an_inserted_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote_ingest.insert.WAIT_S", 0.0)  # `World.work` does what a worker does
    async with AsyncExitStack() as stack:
        world = await open_world(tmp_path, stack)
        shares = itertools.cycle(shares_of_channels(1 if DEEP else 4))
        await world.put(0, frozenset({"*"}))
        await world.sign_in("ann", frozenset({"red"}))
        await world.sign_in("bob", frozenset({"blue"}))
        await insert(world, 50, "red")
        await check(world, next(shares))
        await world.work()
        await check(world, next(shares))
        assert [kept.doc_id for kept in world.readable("bob")] == [kept.doc_id for kept in world.readable("cem")]
        await insert(world, 51, "blue")  # ann has read it, and it may be cached
        await check(world, next(shares))
        await world.work()
        await check(world, next(shares))
        reply = await world.call("ann", "ingest", "GET", "/ingest/jobs/BRIDGE.1")
        assert reply.status_code == 404
