"""A deleted collection is gone from every channel within a second, also in other processes, and comes back as it was."""

from __future__ import annotations

import asyncio
import itertools
import json
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any, TypeVar

import boto3
import httpx
import pymongo
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from pydantic import SecretStr

from footnote.adapters.dynamodb.cache import table_definition as cache_table
from footnote.adapters.dynamodb.ledger_store import table_definition as ledger_table
from footnote.bootstrap import Core
from footnote.collections import RESTORABLE_S, Collections, Directory, service, visible
from footnote.collections.visible import VisibleIndex
from footnote.errors import StoreUnavailable
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.purge import purge_deleted
from footnote.ledger import Documents
from footnote.memory import answer_cache, search_cache
from footnote.settings import AWS, DB, OpenSearch
from footnote.types import KNOWLEDGE, SYSTEM, Caller, Document
from footnote_ingest.app import create_app as create_ingest
from footnote_query.app import create_app as create_query
from tests.fakes import switch_on
from tests.faults.aws_world import forget_indexes
from tests.leaks.channels import (
    ALL_CHANNELS,
    DEAR,
    QUESTION,
    RETRIEVE,
    Channel,
    ask_chat_core,
    ask_openai,
    ask_retrieve,
    ask_trd,
    assert_complete,
    assert_finds_all,
    assert_no_leak,
    assert_permitted,
    list_collections,
    read_documents,
    shares_of_channels,
)
from tests.leaks.mutants import Mutant, giving, seed
from tests.leaks.test_leaks import calm
from tests.leaks.world import PEOPLE, World, open_world
from tests.nightly import DEEP

T = TypeVar("T")
CHECKER = Caller("check", sees_all=True)
SHARES = shares_of_channels(1 if DEEP else 6)
EVERYONE, RED = frozenset({"*"}), frozenset({"red"})


class Seconds:
    """The machine's time for copies of the directory, which can be moved on."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def a_second_later(self) -> None:
        self.ahead += 1.0


async def open_two(folder: Path, stack: AsyncExitStack, **changes: Any) -> World:
    """A world whose admin works in another process."""
    seconds = Seconds()
    patch = stack.enter_context(pytest.MonkeyPatch.context())
    patch.setattr(service, "time", seconds)
    world = await open_world(folder, stack, **changes)
    world.later = seconds.a_second_later
    other = Core(world.core.settings, clock=world.clock, parser=world.core.parser)
    stack.push_async_callback(other.close)
    clients = dict(world.clients)
    for name, create in (("query", create_query), ("ingest", create_ingest)):
        transport = httpx.ASGITransport(create(lambda: other), raise_app_exceptions=False)
        clients[name] = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://footnote.test"))
    call = world.call

    async def call_as(person: str, function: str, method: str, path: str, **options: Any) -> httpx.Response:
        if person != "root" or not path.startswith("/collections"):
            return await call(person, function, method, path, **options)
        headers = {"authorization": f"Bearer {world.tokens[person]}"}
        return await clients[function].request(method, path, headers=headers, **options)

    world.call = call_as  # type: ignore[method-assign]
    return world


async def check_all(world: World, people: Sequence[str] = PEOPLE, channels: tuple[Channel, ...] = ALL_CHANNELS) -> None:
    for person in people:
        await assert_permitted(world, person, channels)
        await assert_finds_all(world, person)


async def live_through_it(world: World, people: Sequence[str] = PEOPLE, shares: Sequence[tuple[Channel, ...]] = SHARES) -> None:
    """Delete, restore, rename, delete for good and create again, and after each of them every user tries the next share of channels."""
    turns = itertools.cycle(shares)

    async def check() -> None:
        await check_all(world, people, next(turns))

    await world.sign_in("ann", RED)
    await world.put(0, EVERYONE, "default")
    await world.put(1, EVERYONE, "side")
    await world.put(2, RED, "side")
    await check()
    before = {doc_id: await world.core.ledger.get(CHECKER, doc_id) for doc_id in world.documents}
    await world.delete_collection("side")
    await check()
    refused = await world.call("root", "ingest", "POST", "/ingest/file", files={"file": ("a.txt", b"A\n\nB.")}, data={"index_name": "side"})
    assert (refused.status_code, "was deleted" in refused.text) == (409, True), refused.text
    refused = await world.call("ann", "ingest", "POST", "/uploads", json={"file_name": "a.txt", "size": 9, "index_name": "side"})
    assert (refused.status_code, "deleted" in refused.text) == (409, False), refused.text
    world.clock.advance(RESTORABLE_S - 1)
    await purge_deleted(world.core.ingestor, world.core.records)
    await world.restore_collection("side")
    await check()
    assert {doc_id: await world.core.ledger.get(CHECKER, doc_id) for doc_id in world.documents} == before
    await world.rename_collection("side", "annex")
    for name in ("side", "annex"):
        await check_name(world, name)
    await world.rename_collection("annex", "side")
    await world.change_collection("DELETE", "/side/aliases/annex")
    await check()
    await world.delete_collection("side")
    await world.change_collection("POST", "", name="side")
    await switch_on(world.core, *KNOWLEDGE, collection="side")  # as the deleted one: only its name in the store tells them apart in caches
    await check()
    await world.put(3, EVERYONE, "side")
    await check()
    world.clock.advance(RESTORABLE_S)
    assert await purge_deleted(world.core.ingestor, world.core.records) == ["side"]
    await check()
    await assert_nothing_left(world)


async def check_name(world: World, name: str) -> None:
    """By its name and its alias, everybody finds in the collection what they may read, and nothing else."""
    for person in PEOPLE:
        said = {"model": f"footnote/{name}", "messages": [{"role": "user", "content": QUESTION}]}
        found = await world.call(person, "query", "POST", "/retrieve-bm25", json=RETRIEVE | {"index_name": name})
        listed = await world.call(person, "ingest", "GET", "/documents", params={"collection": name})
        asked = await world.call(person, "query", "POST", "/v1/chat/completions", json=said)
        for reply in (found, listed, asked):
            assert_no_leak(world, person, check_name, reply)  # type: ignore[arg-type]
        readable = world.readable(person, "annex")
        assert_complete(found, readable, person)
        assert [document["collection"] for document in listed.json()["data"]] == ["annex"] * len(readable), listed.text
        assert asked.status_code == (200 if readable else 404), asked.text
    collections = await world.call("ann", "query", "GET", "/collections")
    assert {each["name"] for each in collections.json()["data"]} == {"default", "annex"}


async def assert_nothing_left(world: World) -> None:
    """Of purged documents, no passage, file or listed document."""
    kept = {item.doc_id async for item in world.core.generations.inventory()}
    files = {key.split("/")[1] async for key in world.core.files.keys("")}
    listed = {document.doc_id for document in (await world.core.ledger.list(SYSTEM, limit=200)).data}
    assert (kept, files, listed) == (set(world.documents),) * 3
    assert await world.core.lifecycle.of_kind("unburied") == []


@pytest.mark.slow("everybody asks after every change of a collection")
@pytest.mark.timeout(300)
async def test_a_collection_is_deleted_restored_renamed_and_purged_on_sqlite(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        await live_through_it(await open_two(tmp_path, stack), PEOPLE if DEEP else ("ann", "bob"))


@pytest.fixture
async def engines(
    opensearch_url: str, dynamodb_url: str, mongodb_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[dict[str, Any]]:
    name = f"w{token_hex(5)}"
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_url)
    tables = boto3.client("dynamodb", endpoint_url=dynamodb_url)
    tables.create_table(**cache_table(f"{name}-cache"))
    tables.create_table(**ledger_table(f"{name}-ledger"))
    yield {
        "opensearch": OpenSearch(url=opensearch_url, prefix=name, limit_s=30),
        "db": DB(uri=SecretStr(mongodb_url), name=name, statistics=f"{name}-statistics"),
        "aws": AWS(cache_table=f"{name}-cache", ledger_table=f"{name}-ledger"),
    }
    for part in ("cache", "ledger"):
        tables.delete_table(TableName=f"{name}-{part}")
    tables.close()
    forget_indexes(opensearch_url, name)
    with pymongo.MongoClient[Any](mongodb_url) as client:
        client.drop_database(name)


@pytest.mark.nightly
@pytest.mark.timeout(600)
async def test_collections_live_the_same_life_on_the_engines_of_aws(tmp_path: Path, engines: dict[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        await live_through_it(await open_two(tmp_path, stack, **engines), ("ann", "bob"))


async def test_without_the_record_store_what_was_deleted_stays_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with AsyncExitStack() as stack:
        world = await open_two(tmp_path, stack)
        await world.put(0, EVERYONE, "default")
        await world.put(1, EVERYONE, "side")
        await world.delete_collection("side")
        first, *rest = shares_of_channels(3)
        await check_all(world, ("ann", "bob"), first)
        records = world.core.collections._records
        monkeypatch.setattr(records, "get", _without_directory(records.get))
        for share in rest:
            world.later()
            await check_all(world, ("ann", "bob"), share)


def _without_directory(get: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The store, which fails for the copy of the directory only: much else would be refused without it."""

    async def read(kind: str, key: str) -> Any:
        if kind == "collection" and asyncio.current_task().get_coro().__name__ == "_check":  # type: ignore[union-attr]
            raise StoreUnavailable("down")
        return await get(kind, key)

    return read


async def test_a_process_that_has_never_read_the_record_store_shows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It cannot know what was deleted."""
    async with AsyncExitStack() as stack:
        world = await open_two(tmp_path, stack)
        await world.put(1, EVERYONE, "side")
        records = world.core.collections._records
        monkeypatch.setattr(records, "get", _without_directory(records.get))
        world.core.collections._copy = world.core.collections._copying._checked_at = None
        for path in ("/retrieve-bm25", "/retrieve-cc"):
            found = await world.call("ann", "query", "POST", path, json=RETRIEVE | {"index_name": "side"})
            assert (found.status_code, "zq" in found.text) == (503, False), found.text
        listed = await world.call("ann", "ingest", "GET", "/documents")
        assert (listed.status_code, "zq" in listed.text) == (503, False)


# --- in any order ----------------------------------------------------------------------------------


class Lives(RuleBasedStateMachine):
    """Collections are deleted, restored, renamed, created and purged in any order, and everybody looks everywhere."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._stack = AsyncExitStack()
        self._shares = itertools.cycle(shares_of_channels(3))
        self._people = itertools.cycle(PEOPLE)
        self.world: World = self._run(open_two(Path(self._folder.name), self._stack))

    def _run(self, work: Awaitable[T]) -> T:
        async def awaited() -> T:
            return await work

        return self._runner.run(awaited())

    @initialize()
    def begin(self) -> None:
        self._run(self.world.sign_in("ann", RED))
        for slot, groups, collection in ((0, EVERYONE, "default"), (1, RED, "side"), (2, EVERYONE, "side")):
            self._run(self.world.put(slot, groups, collection))
        for person in ("ann", "bob"):
            self._run(assert_permitted(self.world, person, DEAR))

    @rule(
        slot=st.integers(1, 3),
        groups=st.sampled_from([EVERYONE, RED]),
        lives=st.sampled_from(["delete", "put"]),
        deleted=st.sampled_from(["restore", "create again", "wait for the end"]),
    )
    def change(self, slot: int, groups: frozenset[str], lives: str, deleted: str) -> None:
        """One rule: Hypothesis leaves some out of each example, and gives up, after all the work, one in which none of the rest applies.
        Its first example takes the first of each choice: deleted and restored again and again."""
        held = any(kept.collection == "side" for kept in self.world.documents.values())
        match deleted if "side" in self.world.deleted else lives if held else "put":
            case "put":
                self._run(self.world.put(slot, groups, "side"))
            case "delete":
                self._run(self.world.delete_collection("side"))
            case "restore":
                self._run(self.world.restore_collection("side"))
            case "create again":
                self._run(self.world.change_collection("POST", "", name="side"))
                del self.world.deleted["side"]
            case "wait for the end":
                self.world.clock.advance(RESTORABLE_S)
                self._run(purge_deleted(self.world.core.ingestor, self.world.core.records))
                del self.world.deleted["side"]
                self._run(self.world.put(3, EVERYONE, "side"))

    @invariant()
    def check_some_channels(self) -> None:
        self._run(check_all(self.world, (next(self._people),), next(self._shares)))

    def teardown(self) -> None:
        try:
            self._run(check_all(self.world))
        finally:
            self._run(self._stack.aclose())
            self._runner.close()
            self._folder.cleanup()


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_no_deleted_collection_is_seen_in_any_order_of_events() -> None:
    run_state_machine_as_test(Lives, settings=calm(10, 30))


async def _unfiltered(collections: Collections, items: Sequence[Any]) -> list[Any]:
    return list(items)


def _through(kind: type, port: str, name: str) -> Mutant:
    """A read passes the gate as it is."""
    return ((kind, name, lambda _: lambda self, *args, **options: getattr(getattr(self, port), name)(*args, **options)),)


async def _shown_as_stored(self: Documents, caller: Caller, documents: Sequence[Document]) -> list[Document]:
    return list(documents)


def _unhidden(scopes: Callable[..., Any]) -> Callable[..., Any]:
    async def all_readable(self: Documents, caller: Caller, stored: str | None) -> Any:
        found = await scopes(self, SYSTEM, stored)
        return {scope: numbers for scope, numbers in found.items() if caller.may_read(frozenset(json.loads(scope.groups)))}

    return all_readable


def _never_renewed(directory: Callable[..., Any]) -> Callable[..., Any]:
    async def read(self: Collections) -> Directory:
        return self._copy or await directory(self)

    return read


def _as_before(scope: Callable[..., Any]) -> Callable[..., Any]:
    return lambda turn, view, *rest: scope(turn, replace(view, stored=view.name, version=1), *rest)


def _in_the_place_of(added: Callable[..., Any], self: Collections, now: Directory, wanted: Any) -> Any:
    return replace(now.collections.get(wanted.name) or added(self, now, wanted), deleted_at=None)


MUTANTS: dict[str, Mutant] = {
    "passages of deleted collections are read": _through(VisibleIndex, "_index", "read"),
    "passages and documents of deleted collections are shown": ((visible, "show", lambda _: _unfiltered),),
    "documents of deleted collections are opened": ((Documents, "_show", lambda _: _shown_as_stored),),
    "documents of deleted collections are listed": (
        (Documents, "_scopes", _unhidden), (Documents, "_show", lambda _: _shown_as_stored),
    ),
    "deleted collections are listed": ((Documents, "_scopes", _unhidden),),
    "a new collection is stored where the deleted one is": (
        (Collections, "_added", lambda added: lambda *args: _in_the_place_of(added, *args)),
    ),
    "a process never learns of changes": ((Collections, "directory", _never_renewed),),
    "nothing is restored": ((Collections, "restore", lambda _: Collections.delete),),
    "the record goes, the documents stay": ((Ingestor, "purge", giving(None)),),
    "answers and searches of the collection that had the name before are used": (
        (answer_cache, "answer_scope", _as_before), (search_cache, "search_scope", _as_before), (VisibleIndex, "read", lambda _: _read_all),
    ),
}  # fmt: skip

SHOWN_BY: Mapping[str, tuple[Channel, ...]] = {
    "passages of deleted collections are read": (ask_trd, ask_chat_core),
    "passages and documents of deleted collections are shown": (ask_trd, ask_chat_core),
    "documents of deleted collections are opened": (read_documents,),
    "documents of deleted collections are listed": (read_documents,),
    "deleted collections are listed": (list_collections,),
    "answers and searches of the collection that had the name before are used": (ask_openai,),
}
"""Defect → the channels that show it; the others show in SEARCHES."""
SEARCHES: tuple[Channel, ...] = (ask_retrieve,)


async def _read_all(self: VisibleIndex, caller: Any, chunk_ids: Any) -> Any:
    return await self._index.read(caller, chunk_ids)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "channels", dict.fromkeys([SEARCHES, *SHOWN_BY.values()]), ids=lambda asked: "-".join(each.__name__ for each in asked)
)
async def test_few_channels_alone_show_no_leak(channels: tuple[Channel, ...], tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        await live_through_it(await open_two(tmp_path, stack), shares=[channels])


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError):
        async with AsyncExitStack() as stack:
            await live_through_it(await open_two(tmp_path, stack), shares=[SHOWN_BY.get(name, SEARCHES)])
