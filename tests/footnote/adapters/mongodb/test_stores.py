"""What stands in MongoDB's documents, and what becomes of its faults; what every store does is in tests/contracts."""

from __future__ import annotations

import asyncio
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import bson
import numpy as np
import pytest
from pymongo import AsyncMongoClient
from pymongo.uri_parser import parse_uri

from bench.statistics import Stores, on_mongodb
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.documents import storable
from footnote.adapters.mongodb.turns import MongoTurnStore
from footnote.errors import Conflict, StoreUnavailable
from footnote.memory.shares import Share, digest_of, end_share, find_share, valid_shares
from footnote.ports import Clock, Rollup, Room
from footnote.types import Answer, Caller, Feedback, Page, Span, Turn, Usage
from tests.contracts import backends_mongodb
from tests.contracts.backends_mongodb import database_names
from tests.contracts.test_turns import make_citation, make_turn
from tests.engines.fixtures import address
from tests.fakes import LoopClock
from tests.turns import stored

pytestmark = pytest.mark.usefixtures("mongodb_url")

ME, STRANGER, ADMIN = Caller("me"), Caller("stranger"), Caller("boss", role="admin")
DAY = "2026-01-15"


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[Stores]:
    async with backends_mongodb.make(tmp_path, clock) as store:
        yield store


@pytest.fixture
async def raw() -> AsyncIterator[AsyncMongoClient[dict[str, Any]]]:
    async with AsyncMongoClient[dict[str, Any]](address("mongodb")) as client:
        yield client


@pytest.fixture
def turns(raw: AsyncMongoClient[dict[str, Any]], tmp_path: Path) -> Any:
    return raw[database_names(tmp_path)[0]]["conversations"]


@pytest.fixture
def statistics(raw: AsyncMongoClient[dict[str, Any]], tmp_path: Path) -> Any:
    return raw[database_names(tmp_path)[1]]


def with_detail(**detail: Any) -> Turn:
    return make_turn("t1", ME, spans=(Span("search", 1.0, "ok", detail),))


# --- what stands in the documents ---------------------------------------------------------------


async def test_a_turns_document_is_its_block_with_four_fields_more(store: Stores, turns: Any) -> None:
    await store.turns.save(stored(make_turn("t1", ME, room_id="r1", answer=Answer("Two years [1].", (make_citation(),)))))
    document = await turns.find_one({"trace_id": "t1"})
    assert (document.pop("_id"), document.pop("started_at")) == ("t1", 1_700_000_000.0)
    assert isinstance(document.pop("number"), bson.ObjectId)
    assert document.pop("counted") is True
    assert document == await store.turns.get(ME, "t1")
    await store.feedback.put(ME, Feedback("t1", "me", "up", created_at=5.0))
    assert (await turns.find_one({"trace_id": "t1"}))["feedback"]["me"]["rating"] == "up"
    assert await store.turns.get(ME, "t1") == document


async def test_the_indexes_are_made_at_the_first_use(store: Stores, turns: Any) -> None:
    assert await turns.index_information() == {}
    await store.feedback.get(ME, "t1")
    assert {name: index["key"] for name, index in (await turns.index_information()).items()} == {
        "_id_": [("_id", 1)],
        "by_room": [("user_id", 1), ("room_id", 1), ("started_at", 1), ("number", 1), ("_id", 1)],
        "by_time": [("started_at", 1), ("number", 1)],
        "by_outcome": [("outcome", 1), ("started_at", 1)],
        "by_expiry": [("expires_at", 1)],
        "by_rating": [("rated_at", 1)],
    }


async def test_a_turn_that_is_not_kept_for_good_says_when_it_may_be_deleted(turns: Any, tmp_path: Path, clock: Clock) -> None:
    async with backends_mongodb.make(tmp_path, clock, keep_s=60.0) as store:
        for status in ("idle", "done"):
            await store.turns.save(stored(make_turn("t1", ME), status))
        assert (await turns.find_one({"_id": "t1"}))["expires_at"] == datetime(2023, 11, 14, 22, 14, 20)
        assert "expires_at" not in await store.turns.get(ME, "t1")
        assert (await turns.index_information())["by_expiry"]["expireAfterSeconds"] == 0


@pytest.mark.parametrize("name", ["a.b", "$ref", "$", "50%", "%002e", "nul\x00", "half \ud800", "왜"])
async def test_a_name_of_any_kind_comes_back_as_it_was(store: Stores, name: str) -> None:
    await store.turns.save(stored(with_detail(**{name: 1})))
    assert (await store.turns.get(ME, "t1"))["spans"][0]["detail"] == {name: 1}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (np.float64(0.5), 0.5),
        (np.int64(3), "3"),
        (np.float32(0.5), "0.5"),
        (2**63 - 1, 2**63 - 1),
        (2**63, "9223372036854775808"),
        (-(2**63) - 1, "-9223372036854775809"),
        ((1, (2,)), [1, [2]]),
        (True, True),
        (None, None),
        ({"a.b": ["\ud800x"]}, {"a.b": ["\ud800x"]}),
    ],
)
async def test_a_value_of_any_kind_is_stored(store: Stores, given: Any, read: Any) -> None:
    await store.turns.save(stored(with_detail(value=given)))
    assert (await store.turns.get(ME, "t1"))["spans"][0]["detail"] == {"value": read}


@pytest.mark.parametrize("user_id", ["ann.lee@example.org", "$where", "0", "50%"])
async def test_feedback_is_kept_for_a_user_of_any_name(store: Stores, user_id: str) -> None:
    ann, local = Caller(user_id), Caller("local", sees_all=True)
    await store.turns.save(stored(make_turn("t1", ann, room_id="r1")))
    await store.feedback.put(ann, Feedback("t1", "", "up", "\ud800", created_at=1.0))
    await store.feedback.put(local, Feedback("t1", "", "down", created_at=2.0))
    assert await store.feedback.get(ann, "t1") == Feedback("t1", user_id, "up", "\ud800", created_at=1.0)
    assert [turn.feedback for turn in (await store.turns.room(ann, "r1", 1)).data] == [
        Feedback("t1", user_id, "up", "\ud800", created_at=1.0)
    ]
    records = await store.statistics.figures(ADMIN, 0.0, 2e9)
    assert [feedback.user_id for feedback in records[0].feedback] == [user_id, "local"]


async def test_a_turn_saved_ten_times_at_once_is_one(store: Stores, turns: Any, tmp_path: Path, clock: Clock) -> None:
    async with backends_mongodb.make(tmp_path, clock) as other:
        await asyncio.gather(*((store, other)[number % 2].turns.save(stored(make_turn("t1", ME, room_id="r1"))) for number in range(10)))
        assert await turns.count_documents({}) == 1


async def test_a_trace_that_two_users_save_at_once_is_one_users(store: Stores) -> None:
    saved = await asyncio.gather(*(store.turns.save(stored(make_turn("t1", user))) for user in (ME, STRANGER)), return_exceptions=True)
    assert sorted(type(each) for each in saved if each is not None) == [Conflict]


async def test_a_roll_ups_document_names_its_day_user_room_and_model_and_repeats_the_usage(store: Stores, statistics: Any) -> None:
    figures = {"turns": 2, "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14, "latency_p50_ms": np.float64(1.5)}
    await store.statistics.put_rollups(DAY, [Rollup("me", "r1", "rag", figures)])
    assert await statistics["rag"].find_one({}, {"_id": 0}) == {
        "date": "2026-01-15",
        "user_id": "me",
        "room_id": "r1",
        "model": "rag",
        "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14, "type": "usage"},
        "figures": {"turns": 2, "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14, "latency_p50_ms": 1.5},
        "llm": None,
        "tallies": [],
        "version": -1,
    }


async def test_roll_ups_of_each_search_type_have_a_collection_and_leave_it_when_over(store: Stores, statistics: Any) -> None:
    rag, gpt = Rollup("me", "r1", "rag", {"turns": 1}), Rollup("me", "r1", "gpt", {"turns": 2})
    await store.statistics.put_rollups(DAY, [rag, gpt])
    assert sorted(await statistics.list_collection_names()) == ["gpt", "rag"]
    assert await store.statistics.rollups(ADMIN, DAY) == [gpt, rag]
    await store.statistics.put_rollups(DAY, [rag])
    assert await store.statistics.rollups(ADMIN, DAY) == [rag]


async def test_foreign_documents_beside_the_roll_ups_stay(store: Stores, statistics: Any) -> None:
    await statistics["reports"].insert_one({"_id": 1, "date": DAY, "user_id": "me", "room_id": "r1", "model": "rag"})
    await store.statistics.put_rollups(DAY, [])
    assert await statistics["reports"].count_documents({}) == 1
    assert await store.statistics.rollups(ADMIN, DAY) == []


async def test_links_of_earlier_versions_are_moved_to_the_records(raw: Any, tmp_path: Path, clock: Clock) -> None:
    share = Share("id", digest_of("token"), "me", "half \ud800", 5.0)
    kept = {"_id": share.digest, "share": storable(asdict(share)), "user_id": "me", "room_id": storable(share.room_id)}
    shares = raw[database_names(tmp_path)[0]]["shares"]
    async with backends_mongodb.databases_of(tmp_path) as first, backends_mongodb.databases_of(tmp_path) as second:
        for databases, left in ((first, [share]), (second, [])):  # before the second one moves it, it was deleted
            await shares.insert_one(dict(kept))
            records = on_mongodb(databases, clock).records
            assert await valid_shares(ME, records=records, now=6.0) == left
            assert await find_share("token", records=records, now=6.0) == (share if left else None)
            assert await shares.count_documents({}) == 0
            await end_share(share, records=records)


# --- faults -----------------------------------------------------------------------------------------

MESSAGE = 2013
Fault = str | dict[str, Any]


@dataclass
class Wire:
    """Stands between store and server. `faults`: a command, and what becomes of it the next time: it is cut off before the
    server reads it, its reply is lost or never comes, this is the reply, or nothing."""

    url: str = ""
    faults: list[tuple[str, Fault]] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._carry(reader, writer))
        self.tasks.add(task)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ((host, port),) = parse_uri(address("mongodb"))["nodelist"]
        server, to_server = await asyncio.open_connection(host, port)
        try:
            while True:
                request = await _message(reader)
                fault = self._fault(request)
                if fault == "cut":
                    return
                if isinstance(fault, dict):
                    writer.write(_reply(request, fault))
                    continue
                to_server.write(request)
                reply = await _message(server)
                if fault == "lost":
                    return
                if fault == "silent":
                    await asyncio.Event().wait()
                writer.write(reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            for end in (writer, to_server):
                end.close()

    def _fault(self, request: bytes) -> Fault | None:
        (code,) = struct.unpack_from("<i", request, 12)
        if code != MESSAGE or not self.faults:
            return None
        (size,) = struct.unpack_from("<i", request, 21)
        command = next(iter(bson.decode(request[21 : 21 + size])))
        return self.faults.pop(0)[1] if command == self.faults[0][0] else None


async def _message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(16)
    (size,) = struct.unpack_from("<i", head)
    return head + await reader.readexactly(size - 16)


def _reply(request: bytes, document: dict[str, Any]) -> bytes:
    (number,) = struct.unpack_from("<i", request, 4)
    body = struct.pack("<ib", 0, 0) + bson.encode(document)
    return struct.pack("<iiii", 16 + len(body), 1, number, MESSAGE) + body


@asynccontextmanager
async def carrying() -> AsyncIterator[Wire]:
    wire = Wire()
    listening = await asyncio.start_server(wire.accept, "127.0.0.1", 0)
    wire.url = f"mongodb://127.0.0.1:{listening.sockets[0].getsockname()[1]}/?directConnection=true"
    try:
        yield wire
    finally:
        listening.close()
        for task in wire.tasks:
            task.cancel()
        await asyncio.gather(*wire.tasks, return_exceptions=True)
        await listening.wait_closed()


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    async with carrying() as wire:
        yield wire


@pytest.fixture
async def wired(wire: Wire, store: Stores, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stores]:
    """By way of the wire, to the data of `store`."""
    monkeypatch.setattr("pymongo.common.MIN_HEARTBEAT_INTERVAL", 0.02)  # the driver's pause before it looks for a server again
    monkeypatch.setattr("footnote.adapters.mongodb.databases.SOON_S", 30.0)  # after a fault, a busy machine may take longer to connect
    databases = Databases(wire.url, *database_names(tmp_path))
    yield on_mongodb(databases, clock)
    await databases.close()


async def test_a_connection_that_died_is_not_noticed(wire: Wire, wired: Stores) -> None:
    for command, fault, ask, told in (
        ("createIndexes", "cut", lambda: wired.feedback.get(ME, "t1"), None),
        ("update", "lost", lambda: wired.turns.save(stored(make_turn("t1", ME, room_id="r1"))), None),
        ("update", "cut", lambda: wired.feedback.put(ME, Feedback("t1", "me", "up", created_at=1.0)), None),
        ("find", "cut", lambda: wired.feedback.get(ME, "t1"), Feedback("t1", "me", "up", created_at=1.0)),
        ("aggregate", "lost", lambda: wired.turns.rooms(ME, 10), Page((Room("r1", "How long?", 1, 1_700_000_000.0),), last_id="r1")),
        ("delete", "lost", lambda: wired.turns.delete_room(ME, "r1"), 1),
    ):
        wire.faults.append((command, fault))
        assert await ask() == told
        assert wire.faults == []
    assert (await wired.turns.rooms(ME, 10)).data == ()


async def test_a_connection_that_fell_silent_is_left_for_a_new_one(wire: Wire, wired: Stores) -> None:
    wire.faults += [("update", "silent")]
    await wired.turns.save(stored(make_turn("t1", ME)))
    assert (await wired.turns.get(ME, "t1"))["trace_id"] == "t1"


@pytest.mark.parametrize(("command", "fault"), [("update", "lost"), ("delete", "cut")])
async def test_roll_ups_that_were_cut_off_are_whole_when_they_are_made_again(wire: Wire, wired: Stores, command: str, fault: str) -> None:
    old = [Rollup("me", "r1", "rag", {"turns": 1}), Rollup("me", "r2", "rag", {"turns": 2})]
    new = [Rollup("me", "r1", "rag", {"turns": 3}), Rollup("me", "r3", "rag", {"turns": 4})]
    await wired.statistics.put_rollups(DAY, old)
    wire.faults += [(command, fault)] * 2
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        await wired.statistics.put_rollups(DAY, new)
    assert await wired.statistics.rollups(ADMIN, DAY) == [new[0], old[1], new[1]]
    await wired.statistics.put_rollups(DAY, new)
    assert await wired.statistics.rollups(ADMIN, DAY) == new


async def test_a_count_that_is_done_again_after_a_lost_reply_counts_once(wire: Wire, wired: Stores) -> None:
    turns = [make_turn(f"t{number}", ME, room_id="r1", usage=Usage(1, 1)) for number in range(2)]
    await wired.turns.save(stored(turns[0]))
    # The turn is stored and marked, and its tokens are added.
    wire.faults += [("update", "pass"), ("update", "pass"), ("update", "lost")]
    await wired.turns.save(stored(turns[1]))
    await wired.turns.save(stored(turns[1]))
    assert wire.faults == []
    assert [dict(each.figures)["turns"] for each in await wired.statistics.rollups(ME, "2023-11-14")] == [2]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (18, "rejected the user. Check the name and password in DB__URI"),
        (13, "rejected the user. Check the name and password in DB__URI"),
        (14031, r"\(code 14031\). Check its log and its disk space"),
    ],
)
async def test_a_refusal_is_told_with_its_remedy_and_without_the_servers_words(wire: Wire, wired: Stores, code: int, told: str) -> None:
    wire.faults += [("find", {"ok": 0.0, "code": code, "errmsg": "no, ann at db.example.org"})]
    with pytest.raises(StoreUnavailable, match=told) as error:
        await wired.turns.get(ME, "t1")
    assert "example" not in error.value.detail


async def test_a_server_that_steps_down_is_asked_once_more(wire: Wire, wired: Stores) -> None:
    wire.faults += [("update", {"ok": 0.0, "code": 10107, "errmsg": "not primary"})]
    await wired.turns.save(stored(make_turn("t1", ME)))
    assert (await wired.turns.get(ME, "t1"))["trace_id"] == "t1"


async def test_a_write_that_the_driver_tries_again_itself_is_not_tried_again_here(wire: Wire, wired: Stores, raw: Any) -> None:
    """The driver does in a replica set. (The stand-in does not know `hello`.)"""
    tries = 2 if "setName" in await raw.admin.command("isMaster") else 1
    wire.faults += [("update", {"ok": 0.0, "code": 10107, "errmsg": "not primary", "errorLabels": ["RetryableWriteError"]})] * tries
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        await wired.turns.save(stored(make_turn("t1", ME)))


async def test_a_turn_too_large_for_a_document_says_so(store: Stores) -> None:
    with pytest.raises(StoreUnavailable, match="larger than MongoDB allows"):
        await store.turns.save(stored(make_turn("t1", ME, answer=Answer("a" * 17_000_000))))


@pytest.mark.nightly
async def test_after_one_wait_in_vain_the_next_ones_are_short_for_a_while(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    databases, passing = Databases("mongodb://127.0.0.1:1", "footnote", "statistics"), LoopClock()
    turns, waits = MongoTurnStore(databases, clock), []
    monkeypatch.setattr("footnote.adapters.mongodb.databases.CONNECT_MS", 250)
    monkeypatch.setattr("footnote.adapters.mongodb.databases.SOON_S", 0.01)  # shorter than the driver's: it ends the wait on any machine
    monkeypatch.setattr("footnote.adapters.mongodb.databases.AWAY_S", 3600.0)
    real = asyncio.wait

    async def wait(tasks: Any, *, timeout: float | None = None) -> Any:
        waits.append(timeout)
        return await real(tasks, timeout=timeout)

    monkeypatch.setattr(asyncio, "wait", wait)
    for rest_s in (0, 0, 7300, 0):
        if rest_s:
            await real(databases._working)
        passing.advance(rest_s)
        with pytest.raises(StoreUnavailable, match="cannot be reached"):
            await turns.rooms(ME, 10)
    monkeypatch.undo()
    await databases.close()
    assert waits == [None, 0.01, None, 0.01]


async def test_who_stops_waiting_leaves_the_connection_as_it_was(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.mongodb.databases.CONNECT_MS", 500)
    databases = Databases("mongodb://127.0.0.1:1", "footnote", "statistics")
    turns = MongoTurnStore(databases, clock)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await turns.rooms(ME, 10)
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        await turns.rooms(ME, 10)
    await databases.close()


@pytest.mark.nightly
async def test_no_server_is_told_to_all_who_wait_at_the_same_time(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    databases = Databases("mongodb://zoe:secret@127.0.0.1:1/", "footnote", "statistics")
    turns, waiting = MongoTurnStore(databases, clock), [0]
    real = databases._make_indexes

    async def make_indexes(opened: Any) -> None:
        waiting.append(waiting[-1] + 1)
        try:
            await real(opened)
        finally:
            waiting.append(waiting[-1] - 1)

    monkeypatch.setattr(databases, "_make_indexes", make_indexes)
    errors = await asyncio.gather(*(turns.get(ME, "t1") for _ in range(3)), return_exceptions=True)
    assert waiting == [0, 1, 2, 3, 2, 1, 0]  # each is asked once, and nobody waits for another's wait
    options = databases._client.options  # type: ignore[union-attr]
    pool = options.pool_options
    assert (options.server_selection_timeout, pool.connect_timeout, pool.socket_timeout) == (2.0, 2.0, 2.0)
    for error in errors:
        assert isinstance(error, StoreUnavailable)
        assert "cannot be reached. Check DB__URI" in error.detail
        assert not any(word in error.detail for word in ("zoe", "secret", "127.0.0.1"))
    await databases.close()


@pytest.mark.parametrize("address", ["http://127.0.0.1", "mongodb://", "mongodb://u:hush@127.0.0.1:port/", "mongodb://u:h@sh@127.0.0.1/"])
async def test_an_address_that_is_none_is_told_without_it(address: str, clock: Clock) -> None:
    turns = MongoTurnStore(Databases(address, "footnote", "statistics"), clock)
    with pytest.raises(StoreUnavailable, match=r"is invalid\. Check DB__URI") as error:
        await turns.get(ME, "t1")
    assert not any(word in error.value.detail for word in ("hush", "h@sh", "127.0.0.1"))


async def test_a_name_that_no_database_can_have_is_told(clock: Clock) -> None:
    databases = Databases(address("mongodb"), "a b", "statistics")
    with pytest.raises(StoreUnavailable, match="Check DB__NAME and DB__STATISTICS"):
        await MongoTurnStore(databases, clock).get(ME, "t1")
    await databases.close()


def test_the_driver_is_not_imported_before_the_first_use() -> None:
    code = "import sys, footnote.adapters.mongodb.turns; print([n for n in ('pymongo', 'bson', 'asyncio') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['asyncio']"
